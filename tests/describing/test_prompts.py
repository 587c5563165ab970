import json
from dataclasses import replace

from joingr_pyg.describing.prompts import MOST_COLUMNS, answer_shape, messages, table_text
from joingr_pyg.schema import Column, Database, ForeignKey, Table


def test_a_table_is_shown_with_types_keys_comments_and_joins(shop: Database) -> None:
    assert table_text(shop, shop["ORD"]) == (
        "Table ORD\n  ORD_KEY INT primary key\n  CUST_KEY INT\n  ST_CD CHAR\nJoins:\n  ORD.CUST_KEY = CUST.CUST_KEY"
    )
    assert table_text(shop, shop["CUST"]) == "Table CUST: Buyers.\n  CUST_KEY INT primary key\n  NAME TEXT"


def test_a_wide_table_is_cut_off() -> None:
    wide = Table("wide", tuple(Column(f"c{number}") for number in range(MOST_COLUMNS + 3)))
    text = table_text(Database("d", (wide,)), wide)
    assert text.endswith(f"  c{MOST_COLUMNS - 1}\n  and 3 columns more")


def test_a_request_has_the_neighbours_with_what_is_known_of_them(shop: Database) -> None:
    inferred = ForeignKey("ORD_HIST", "NOTE", "ORD_LN", "QTY", source="inferred")
    related = replace(shop, foreign_keys=(*shop.foreign_keys, inferred))
    system, user = messages(shop, [shop["ORD_LN"]], related=related, lines={"ORD": "an order"})
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"] == (
        "Database: shop\n\nTables to describe:\n\nTable ORD_LN\n  ORD_KEY INT\n  QTY INT: Pieces.\nJoins:\n"
        "  ORD_LN.ORD_KEY = ORD.ORD_KEY\n\nTables that they are joined with, not to be described:\n"
        "- ORD (ORD_KEY, CUST_KEY, ST_CD): an order\n- ORD_HIST (NOTE)"
    )


def test_a_request_says_what_was_wrong_before(shop: Database) -> None:
    faults = {"ORD": "the line was blank", "CUST": "not asked for now"}
    content = messages(shop, [shop["ORD"]], related=shop, lines={}, faults=faults)[1]["content"]
    assert content.endswith("An earlier answer was of no use. Correct this:\n- ORD: the line was blank")


def test_edge_purposes_may_be_left_out(shop: Database) -> None:
    with_joins = messages(shop, [shop["ORD"]], related=shop, lines={})[0]["content"]
    without = messages(shop, [shop["ORD"]], related=shop, lines={}, edge_purposes=False)[0]["content"]
    assert '"joins"' in with_joins
    assert '"joins"' not in without
    assert "joins" in json.dumps(answer_shape(True))
    assert "joins" not in json.dumps(answer_shape(False))


def test_a_strict_endpoint_takes_the_shape() -> None:
    """Every object names all of its keys as required and allows no other."""

    def check(shape: dict) -> int:
        if shape["type"] == "array":
            return check(shape["items"])
        if shape["type"] == "string":
            return 0
        assert shape["required"] == list(shape["properties"])
        assert shape["additionalProperties"] is False
        return 1 + sum(map(check, shape["properties"].values()))

    assert check(answer_shape(True)) == 5
