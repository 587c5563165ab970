"""Embeddings of schemas."""

from collections.abc import Sequence

from torch import Tensor

from joingr_pyg.data.corpus import Corpus
from joingr_pyg.data.graph import schema_tensors
from joingr_pyg.encoders import Encoder
from joingr_pyg.schema import Database
from joingr_pyg.schema.descriptors import descriptors


def embed_schemas(databases: Sequence[Database], encoder: Encoder) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Embed the columns, joins, tables and summaries of tables of databases in a single call of the encoder.

    Returns:
        For each database, embeddings ``[C, d]`` of its columns, ``[J, d]`` of its joins, ``[T, d]`` of its tables and
        ``[T, d]`` of their summaries.
    """
    texts = descriptors(databases)
    vectors = encoder.encode_documents([text for part in texts for text in part])
    parts = vectors.split([len(part) for part in texts])
    count = len(databases)
    return [(parts[n], parts[count + n], parts[2 * count + n], parts[3 * count + n]) for n in range(count)]


def embedded_corpus(databases: Sequence[Database], encoder: Encoder) -> Corpus:
    """Embed databases and make the corpus of their tables.

    Raises:
        JoinGRError: If there is no table, or two databases share a name.
    """
    vectors = embed_schemas(databases, encoder)
    return Corpus.from_tensors(
        [schema_tensors(database, *parts) for database, parts in zip(databases, vectors, strict=True)]
    )
