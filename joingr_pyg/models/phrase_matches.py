"""Which tables the single phrases of a question point at."""

from collections.abc import Sequence
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
"""Factor of similarities in a phrase's softmax over tables."""

CONTEXT_WEIGHT = 5.0
"""Factor of the score of the whole question there."""

PHRASES_AT_ONCE = 256
"""Phrases compared with all columns at once; it bounds the memory."""


def phrase_choices(queries: Queries, corpus: Corpus, context: Tensor, method: str) -> list[dict[str, Tensor]]:
    r"""The probability with which each phrase of a question points at each table.

    One vector for a long question says little about its parts: *"movies produced in France"* is near to movies, and
    only *"France"* is near to countries. A phrase :math:`s` points at a table with probability

    .. math::
        a_s(t) = \operatorname{softmax}_t\big(20 \max_{v \in V(t)} \langle s, v \rangle + 5\, b_0(t|q)\big),

    where :math:`b_0` scores the tables by the whole question. Phrases are encoded like questions, and cached with them.

    Args:
        queries: ``B`` questions with their texts and their encoder.
        corpus: The tables.
        context: ``[B, T]`` scores :math:`b_0` of the whole questions.
        method: Name of the method that calls this, for errors.

    Returns:
        For each question, ``[T]`` probabilities :math:`a_s` by phrase.

    Raises:
        JoinGRError: If the questions come without texts or without an encoder.
    """
    question_phrases, choice = _choices(queries, corpus, context, method)
    parts = choice.split(_sizes(question_phrases))
    return [dict(zip(own, part, strict=True)) for own, part in zip(question_phrases, parts, strict=True)]


class PhraseMatches(NamedTuple):
    r"""How far the phrases of ``B`` questions point at ``T`` tables; 0 everywhere for questions without phrases.

    Attributes:
        best: ``[B, T]`` probability of the phrase that is most certain of a table, :math:`\max_s a_s(t)`: a table needs
            one phrase that points at it, not all of them.
        within: ``[B, T]`` the same among the tables of its database :math:`D_t`, :math:`\max_s a_s(t) / a_s(D_t)` with
            :math:`a_s(D) = \sum_{t \in D} a_s(t)`.
        share: ``[B, T]`` their mean, :math:`\operatorname{mean}_s a_s(t) / a_s(D_t)`.
    """

    best: Tensor
    within: Tensor
    share: Tensor


def phrase_matches(queries: Queries, corpus: Corpus, context: Tensor, method: str) -> PhraseMatches:
    """Summaries of :func:`phrase_choices` per table; arguments and errors are the same."""
    question_phrases, choice = _choices(queries, corpus, context, method)
    sizes = np.array(_sizes(question_phrases), int)
    has_phrases = sizes > 0
    matches = PhraseMatches(*context.new_zeros(3, len(sizes), corpus.num_tables))
    if not has_phrases.any():
        return matches
    database = corpus.database
    database_sum = choice.new_zeros(len(choice), int(database.max()) + 1).index_add(1, database, choice)
    within = (choice / database_sum[:, database]).cpu().numpy()
    first = (sizes.cumsum() - sizes)[has_phrases]
    rows = torch.from_numpy(has_phrases)
    parts = (
        np.maximum.reduceat(choice.cpu().numpy(), first, axis=0),
        np.maximum.reduceat(within, first, axis=0),
        np.add.reduceat(within, first, axis=0) / sizes[has_phrases, None].astype(np.float32),
    )
    for match, part in zip(matches, parts, strict=True):
        match[rows] = torch.from_numpy(part).to(match)
    return matches


def phrase_similarities(queries: Queries, corpus: Corpus, method: str) -> list[tuple[list[str], Array]]:
    """The ``S`` phrases of each question, and ``[S, T]`` their cosines with the most similar columns of tables.

    Arguments and errors are those of :func:`phrase_choices`.
    """
    question_phrases, similarity, row = _similarities(queries, corpus, method)
    parts = similarity.cpu()[row].split(_sizes(question_phrases))
    return [(own, part.numpy()) for own, part in zip(question_phrases, parts, strict=True)]


def _choices(queries: Queries, corpus: Corpus, context: Tensor, method: str) -> tuple[list[list[str]], Tensor]:
    """The phrases of each question, and the probabilities ``[P, T]`` of all phrases, question by question."""
    question_phrases, similarity, row = _similarities(queries, corpus, method)
    sizes = torch.tensor(_sizes(question_phrases), dtype=torch.long)
    question = torch.arange(len(sizes)).repeat_interleave(sizes).to(context.device)
    logits = torch.add(CONTEXT_WEIGHT * context[question], similarity.to(context)[row], alpha=SHARPNESS)
    return question_phrases, logits.softmax(dim=1)


def _similarities(queries: Queries, corpus: Corpus, method: str) -> tuple[list[list[str]], Tensor, Tensor]:
    """The phrases of each question, similarities of distinct ones ``[U, T]``, and the row of each phrase ``[P]``."""
    question_phrases = [phrases(text) for text in queries.require_text(method)]
    number: dict[str, int] = {}
    row = torch.tensor([number.setdefault(phrase, len(number)) for phrase in chain.from_iterable(question_phrases)])
    if not number:
        return question_phrases, corpus.x.new_zeros(0, corpus.num_tables), row.long()
    vector = queries.require_encoder(method).encode_queries(list(number)).to(corpus.x)
    parts = [corpus.best_similarity(part) for part in vector.split(PHRASES_AT_ONCE)]
    return question_phrases, torch.cat(parts), row


def _sizes(question_phrases: Sequence[Sequence[str]]) -> list[int]:
    return [len(phrases) for phrases in question_phrases]
