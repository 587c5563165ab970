from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import Vanilla


def test_tables_are_as_similar_as_a_column_or_as_their_text(make_corpus: Callable[..., Corpus]) -> None:
    corpus = make_corpus([[[1.0, 0.0], [0.0, 1.0]], [[0.8, 0.6]]])
    corpus = replace(corpus, table_x=torch.tensor([[0.5, 0.75**0.5], [0.6, 0.8]]))
    question = Queries(torch.tensor([[1.0, 0.0]]))
    by_column, by_table = (Vanilla(by).index(corpus).rank(question, 3) for by in ("column", "table"))
    assert (by_column.table.tolist(), by_table.table.tolist()) == ([[0, 1, -1]], [[1, 0, -1]])
    assert by_column.score[0, :2].tolist() == pytest.approx([1.0, 0.8])
    assert by_table.score[0, :2].tolist() == pytest.approx([0.6, 0.5])
    with pytest.raises(JoinGRError, match="'by' needs to be 'column' or 'table'"):
        Vanilla("row")
