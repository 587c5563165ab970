"""JAR's compatibility of two tables: how well they join."""

from collections.abc import Mapping
from itertools import chain

import numpy as np
from scipy.sparse import csr_array

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.schema.names.readable import readable_name


def compatibility(corpus: Corpus, uniqueness: Mapping[str, float] | None = None) -> np.ndarray:
    r"""The compatibility of each pair of tables, which is that of their best pair of columns.

    .. math::
        C(t, t') = \max_{c \in t,\, c' \in t'} \max(u_c, u_{c'})
        \Big(\tfrac12 [c \bowtie c'] + \tfrac14 \langle c, c' \rangle_+ +
        \tfrac14 \frac{|W_c \cap W_{c'}|}{\min(|W_c|, |W_{c'}|)}\Big)

    with :math:`u` the fraction of distinct values of a column, :math:`[c \bowtie c']` whether a join is declared, and
    :math:`W` the words of ``"database table column"``. JAR uses the Jaccard similarity of the columns' values instead
    of :math:`[c \bowtie c']`; here schemas have no rows. JAR's condition that types are equal is not used.

    Args:
        corpus: ``T`` tables.
        uniqueness: :math:`u` by ``"database#sep#table#sep#column"``; missing values are 1.

    Returns:
        ``[T, T]`` symmetric, from 0 to 1, with zeros on the diagonal.
    """
    x = corpus.x.cpu().numpy()
    owner, first = corpus.owner.cpu().numpy(), corpus.first_column
    score = 0.25 * np.clip(x @ x.T, 0, 1) + 0.25 * _word_overlap(corpus)
    left, right = corpus.join_index.cpu().numpy()
    joined = np.zeros(score.shape, bool)
    joined[left, right] = joined[right, left] = True
    score += 0.5 * joined
    if uniqueness:
        names = ("#sep#".join((*corpus.tables[t], c)) for t, c in zip(owner, corpus.columns, strict=True))
        share = np.array([uniqueness.get(name, 1.0) for name in names])
        score *= np.maximum.outer(share, share)
    table = np.maximum.reduceat(np.maximum.reduceat(score, first, axis=0), first, axis=1)
    np.fill_diagonal(table, 0)
    return table


def _word_overlap(corpus: Corpus) -> np.ndarray:
    """``[N, N]`` number of shared words of two columns, divided by the smaller number of words."""
    texts = [
        set(readable_name("_".join((*corpus.tables[table], column))).split())
        for table, column in zip(corpus.owner.tolist(), corpus.columns, strict=True)
    ]
    number = {word: i for i, word in enumerate(sorted(set(chain.from_iterable(texts))))}
    size = np.array([len(words) for words in texts])
    numbers = [number[word] for words in texts for word in words]
    incidence = csr_array((np.ones(len(numbers)), (np.repeat(np.arange(len(texts)), size), numbers)))
    return (incidence @ incidence.T).toarray() / np.minimum.outer(size, size)
