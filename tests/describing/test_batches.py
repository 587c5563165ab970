from joingr_pyg.describing.batches import BATCH_COLUMNS, related_batches
from joingr_pyg.schema import Column, Database, ForeignKey, Table


def names(batches: list[list[Table]]) -> list[list[str]]:
    return [[table.name for table in batch] for batch in batches]


def test_joined_tables_come_together_and_then_those_of_the_same_prefix(shop: Database) -> None:
    assert names(related_batches(shop, list(shop), 2)) == [["CUST", "ORD"], ["ORD_LN", "ORD_HIST"]]
    assert names(related_batches(shop, list(shop), 3)) == [["CUST", "ORD", "ORD_LN"], ["ORD_HIST"]]
    assert names(related_batches(shop, [shop["ORD_LN"], shop["CUST"], shop["ORD"]], 2)) == [["ORD_LN", "ORD"], ["CUST"]]
    assert related_batches(shop, [], 2) == []


def test_most_joins_count_first() -> None:
    tables = [Table(name, (Column("x"), Column("y"))) for name in "abc"]
    keys = [("a", "x", "b", "x"), ("a", "x", "c", "x"), ("c", "y", "a", "y")]
    schema = Database("d", tuple(tables), tuple(ForeignKey(*key) for key in keys))
    assert names(related_batches(schema, list(schema), 2)) == [["a", "c"], ["b"]]


def test_a_wide_table_stands_alone() -> None:
    wide = Table("wide", tuple(Column(f"c{number}") for number in range(BATCH_COLUMNS + 1)))
    narrow = [Table(name, (Column("x"),)) for name in ("a", "b")]
    schema = Database("d", (narrow[0], wide, narrow[1]))
    assert names(related_batches(schema, [wide, *narrow], 8)) == [["wide"], ["a", "b"]]
