"""Which tables the single phrases of a question point at."""

import torch
from torch import Tensor

from joingr_pyg.corpus import Corpus
from joingr_pyg.phrases import phrases
from joingr_pyg.queries import Queries

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
    each = [phrases(text) for text in queries.require_text(method)]
    distinct = list(dict.fromkeys(phrase for some in each for phrase in some))
    if not distinct:
        return [{} for _ in each]
    vector = queries.require_encoder(method).encode_queries(distinct).to(prior)
    similarity = SHARPNESS * torch.cat([corpus.similarity(part)[0] for part in vector.split(AT_ONCE)])
    number = {phrase: i for i, phrase in enumerate(distinct)}
    choices = []
    for question, some in enumerate(each):
        choice = (similarity[[number[phrase] for phrase in some]] + CONTEXT * prior[question]).softmax(dim=1)
        choices.append(dict(zip(some, choice, strict=True)))
    return choices


def phrase_matches(queries: Queries, corpus: Corpus, prior: Tensor, method: str) -> Tensor:
    r"""How surely one phrase of the question points at a table: ``[B, T]`` :math:`p(t|q) = \max_s a_s(t)`.

    A table needs one phrase that is sure of it, and not all of them. Arguments and errors are those of
    :func:`phrase_choices`; questions without phrases have 0 everywhere.
    """
    choices = phrase_choices(queries, corpus, prior, method)
    nothing = prior.new_zeros(corpus.num_tables)
    rows = [torch.stack(list(choice.values())).amax(dim=0) if choice else nothing for choice in choices]
    return torch.stack(rows) if rows else torch.zeros_like(prior)
