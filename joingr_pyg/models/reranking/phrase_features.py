"""What the phrases of a question say, once it is known how probable each candidate is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from joingr_pyg.models.reranking.candidates import Candidates
from joingr_pyg.models.reranking.features import CONTEXT_WEIGHT, PHRASE_SHARPNESS, phrase_choices

Array = NDArray[Any]

CHOICES = ((PHRASE_SHARPNESS, CONTEXT_WEIGHT), (1.5 * PHRASE_SHARPNESS, 0.0))
"""How sharply phrases choose among summaries, and how much the whole question counts there."""

UNRELATED = 0.2
"""Cosine of a phrase and a summary up to which the summary does not explain the phrase."""

NAMES = (
    "best share of a phrase",
    "share of phrases",
    "best share of a phrase alone",
    "share of phrases alone",
    "best gain",
    "sum of gains",
)
"""Names of the numbers of :func:`phrase_features`."""


def phrase_features(candidates: Candidates, probability: Array) -> Array:
    r"""``[C, 6]`` numbers of what each candidate explains beside the others, named by :data:`NAMES`.

    - Each phrase ``s`` is shared among the candidates, :math:`r_{sc} \propto p_c\, P_s(c)`, where :math:`P_s` is the
      phrase's choice among the summaries: largest share and sum of shares, once with the whole question as context and
      once without.
    - What a candidate explains better than the best other one, :math:`\max(0, w_{sc} - \max_{c' \ne c} p_{c'}
      w_{sc'})` with :math:`w_{sc}` the cosine above :data:`UNRELATED`: largest gain and sum of gains.

    Args:
        candidates: The candidates of a question.
        probability: ``[C]`` how probable it is that the question needs each of them, from 0 to 1.
    """
    columns = []
    for sharpness, context in CHOICES:
        share = phrase_choices(candidates, sharpness, context) * probability
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-9)
        columns += [share.max(axis=0), share.sum(axis=0)]
    explained = np.maximum(candidates.phrase_similarity - UNRELATED, 0)
    phrase = np.arange(len(explained))
    others = explained * probability
    best = others.argmax(axis=1)
    most = np.repeat(others[phrase, best][:, None], others.shape[1], axis=1)
    others[phrase, best] = 0
    most[phrase, best] = others.max(axis=1)
    gain = np.maximum(explained - most, 0)
    return np.stack([*columns, gain.max(axis=0), gain.sum(axis=0)], axis=1).astype(np.float32)
