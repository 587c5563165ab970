from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.models import Ranking

MakeCorpus = Callable[..., Corpus]


def ranked(ranking: Ranking, question: int = 0) -> tuple[list[int], list[float]]:
    return ranking.table[question].tolist(), ranking.score[question].tolist()


@pytest.fixture
def chain(make_corpus: MakeCorpus) -> Corpus:
    """t0 – t1 – t2 joined in a chain, and t3 and t4 on their own; (1, 0, 0) has cosines 0.8, 0.6, 0, 0.28 and 0.5."""
    tables = [[[0.8, 0.6, 0.0]], [[0.6, 0.0, 0.8]], [[0.0, 1.0, 0.0]], [[0.28, 0.96, 0.0]], [[0.5, 0.5, 0.5**0.5]]]
    return make_corpus(tables, joins=[(0, 1), (2, 1)])


@pytest.fixture
def question() -> Queries:
    return Queries(torch.tensor([[1.0, 0.0, 0.0]]))


@pytest.fixture
def written(chain: Corpus) -> Callable[..., Corpus]:
    """Makes the chain with these documents."""
    return lambda *documents: replace(chain, documents=documents)
