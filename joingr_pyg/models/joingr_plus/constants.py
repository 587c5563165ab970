"""What is not learned: scales and weights that both paths of the model, on tensors and compiled, go by."""

from math import exp

from joingr_pyg.models.joingr_plus.signals import Signal

K1, B = 2.5, 0.75
"""Of BM25; with these, a score times :data:`LEXICAL_SCALE` is of the order of cosines."""

LEXICAL_SCALE = 0.35

STEP = 10.0
"""What cosines and votes are multiplied by as evidence, so that one step of learning rates fits all."""

FLOOR = exp(-4)
"""The ε of the fusion: what a table that no deposit reaches is taken to have."""

WHOLE = {Signal.SIMILARITY: 0.7, Signal.TABLE_SIMILARITY: 0.3, Signal.WORDS: 0.3}
"""What phrases are told of the question as a whole, before anything is learned: it stays as training goes on."""

NODE_EVIDENCE = {Signal.SIMILARITY: STEP, Signal.WORDS: 1.0, Signal.VOTES: STEP}
"""What speaks for walking to a table, beside the log degree, which comes last, and its scale."""
