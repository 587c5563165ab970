"""Which tables the single phrases of a question point at."""

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.queries import Queries
from joingr_pyg.text.phrases import phrases

Array = NDArray[Any]

SHARPNESS = 20.0
"""How far a phrase prefers columns that resemble it more."""

CONTEXT = 5.0
"""How far it prefers tables that the question as a whole speaks for."""

AT_ONCE = 256
"""Phrases compared with all columns at once: it bounds the memory."""


def phrase_choices(queries: Queries, corpus: Corpus, prior: Tensor, method: str) -> list[dict[str, Tensor]]:
    r"""What each phrase of a question chooses among all tables.

    One vector for a long question says little of what each part of it asks for: *"movies produced in France"* is near
    to movies, and only *"France"* to countries. A phrase :math:`s` chooses by

    .. math::
        a_s(t) = \operatorname{softmax}_t\big(20 \max_{v \in V(t)} \langle s, v \rangle + 5\, b_0(t|q)\big).

    Phrases are encoded like questions, and kept in the same cache.

    Args:
        queries: ``B`` questions with their texts and their encoder.
        corpus: The tables.
        prior: ``[B, T]`` what the question as a whole says, :math:`b_0`.
        method: Who asks, for errors.

    Returns:
        For each question its phrases, each with ``[T]`` shares that sum to one.

    Raises:
        JoinGRError: If the questions came without texts or without an encoder.
    """
    each, choice = _choices(queries, corpus, prior, method)
    return [dict(zip(some, part, strict=True)) for some, part in zip(each, choice.split(_sizes(each)), strict=True)]


class PhraseMatches(NamedTuple):
    r"""What the phrases of ``B`` questions say of ``T`` tables; questions without phrases have 0 everywhere.

    Attributes:
        sure: ``[B, T]`` how surely one phrase points at a table, :math:`\max_s a_s(t)`. A table needs one phrase that
            is sure of it, and not all of them.
        within: ``[B, T]`` the same where only the tables of its database are to choose from,
            :math:`\max_s a_s(t) / a_s(D_t)` with the sum :math:`a_s(D_t)` over that database.
        share: ``[B, T]`` their mean, :math:`\operatorname{mean}_s a_s(t) / a_s(D_t)`.
    """

    sure: Tensor
    within: Tensor
    share: Tensor


def phrase_matches(queries: Queries, corpus: Corpus, prior: Tensor, method: str) -> PhraseMatches:
    """What phrases point at. Arguments and errors are those of :func:`phrase_choices`."""
    each, choice = _choices(queries, corpus, prior, method)
    sizes = np.array(_sizes(each), int)
    asked = sizes > 0
    found = PhraseMatches(*prior.new_zeros(3, len(each), corpus.num_tables))
    if not asked.any():
        return found
    database = corpus.database
    belief = choice.new_zeros(len(choice), int(database.max()) + 1).index_add(1, database, choice)
    within = (choice / belief[:, database]).cpu().numpy()
    first = (sizes.cumsum() - sizes)[asked]
    rows = torch.from_numpy(asked)
    parts = (
        np.maximum.reduceat(choice.cpu().numpy(), first, axis=0),
        np.maximum.reduceat(within, first, axis=0),
        np.add.reduceat(within, first, axis=0) / sizes[asked, None].astype(np.float32),
    )
    for values, part in zip(found, parts, strict=True):
        values[rows] = torch.from_numpy(part).to(values)
    return found


def phrase_similarities(queries: Queries, corpus: Corpus, method: str) -> list[Array]:
    """``[S, T]`` cosines of the ``S`` phrases of each question and the best columns of tables.

    Arguments and errors are those of :func:`phrase_choices`.
    """
    each, similarity, row = _similarities(queries, corpus, method)
    return [part.numpy() for part in similarity.cpu()[row].split(_sizes(each))]


def _choices(queries: Queries, corpus: Corpus, prior: Tensor, method: str) -> tuple[list[list[str]], Tensor]:
    """The phrases of each question, and what they choose, ``[P, T]``, those of a question one behind the other."""
    each, similarity, row = _similarities(queries, corpus, method)
    question = torch.arange(len(each)).repeat_interleave(torch.tensor(_sizes(each), dtype=torch.long))
    choice = torch.add(CONTEXT * prior[question.to(prior.device)], similarity.to(prior)[row], alpha=SHARPNESS)
    return each, choice.softmax(dim=1)


def _similarities(queries: Queries, corpus: Corpus, method: str) -> tuple[list[list[str]], Tensor, Tensor]:
    """The phrases of each question, similarities of distinct ones, ``[U, T]``, and which each of them is, ``[P]``."""
    each = [phrases(text) for text in queries.require_text(method)]
    number: dict[str, int] = {}
    row = torch.tensor([number.setdefault(phrase, len(number)) for phrase in chain.from_iterable(each)])
    if not number:
        return each, corpus.x.new_zeros(0, corpus.num_tables), row.long()
    vector = queries.require_encoder(method).encode_queries(list(number)).to(corpus.x)
    return each, torch.cat([corpus.best_similarity(part) for part in vector.split(AT_ONCE)]), row


def _sizes(each: list[list[str]]) -> list[int]:
    return [len(some) for some in each]
