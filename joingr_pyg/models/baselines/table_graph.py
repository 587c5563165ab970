"""The join graph between tables, as a sparse matrix."""

import numpy as np
from scipy.sparse import csr_array

from joingr_pyg.data.corpus import Corpus


def table_graph(corpus: Corpus) -> csr_array:
    """The symmetric ``[T, T]`` adjacency matrix of tables: 1 if joins connect two tables, without self-loops."""
    left, right = corpus.edge_index.cpu().numpy()
    between = left != right
    rows, columns = (
        np.concatenate([left, right])[np.tile(between, 2)],
        np.concatenate([right, left])[np.tile(between, 2)],
    )
    shape = (corpus.num_tables, corpus.num_tables)
    graph = csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)
    graph.sum_duplicates()
    graph.data[:] = 1
    return graph
