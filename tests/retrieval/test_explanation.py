"""Explanations in the names of a schema."""

from dataclasses import replace

import pytest
from torch import Tensor

from joingr_pyg import TableRetriever
from joingr_pyg.encoders import Encoder
from joingr_pyg.models.explanation import TableExplanation
from joingr_pyg.retrieval.explanation import retrieved_table
from joingr_pyg.schema.readers.ddl import read_ddl

DOGS = "CREATE TABLE dogs (id INT PRIMARY KEY, breed TEXT, born DATE); CREATE TABLE huts (id INT, name TEXT);"


@pytest.mark.parametrize(("strength", "expected"), [(0.5, ("breed",)), (0.0, ())])
def test_the_column_that_the_phrase_points_at_matches(
    encoder: Encoder, strength: float, expected: tuple[str, ...]
) -> None:
    corpus = TableRetriever([read_ddl(DOGS, "d")], encoder).corpus
    breed = corpus.x[corpus.columns.index("breed")]
    explanation = TableExplanation(0, 1.0, 2, 0.1, {}, {"phrases": strength}, (), "Border Collie", True, True, ())
    asked = []

    def vector_of(phrase: str) -> Tensor:
        asked.append(phrase)
        return breed

    found = retrieved_table(corpus, {}, frozenset(["work"]), explanation, vector_of)
    assert (found.table, found.column, found.matching_columns) == ("dogs", "born", expected)
    assert asked == ["Border Collie"] * bool(expected)


def test_columns_that_match_are_part_of_the_prompt(encoder: Encoder) -> None:
    result = TableRetriever([read_ddl(DOGS, "d")], encoder).retrieve("Where do they work?", k=1)
    found = replace(result[0], table="dogs", column="born", matching_columns=())
    for matching in ((), ("breed",)):
        chosen = replace(result, tables=(replace(found, matching_columns=matching),))
        assert ("breed TEXT" in chosen.to_ddl(matching_columns=True)) == bool(matching)
        assert chosen.to_dict()["tables"][0]["matching_columns"] == list(matching)
