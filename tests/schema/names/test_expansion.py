import pytest

from joingr_pyg.schema import Column, Database, ForeignKey, Table
from joingr_pyg.schema.names.expansion import common_abbreviations, split_run, with_expanded_names


def expanded(name: str, natural_name: str = "", **abbreviations: str) -> str:
    database = Database("d", (Table("t", (Column(name, natural_name=natural_name),)),))
    return with_expanded_names(database, abbreviations)["t"].columns[0].natural_name


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("CUST_NBR", "customer number"),
        ("invoiceQty", "invoice quantity"),
        ("YTD_AMT", "year to date amount"),
        ("salesorderheader", "sales order header"),
        ("SALESORDERHEADER", "sales order header"),
        ("custordnum", "customer order number"),
        ("cust_addr2", "customer address2"),
        ("lowqty (min)", "low quantity (min)"),
        ("order_no", "order number"),
        ("staffno", "staff number"),
        ("customerid", "customer id"),
    ],
)
def test_abbreviations_and_words_run_together_are_expanded(name: str, spelt: str) -> None:
    assert expanded(name) == spelt


@pytest.mark.parametrize(
    "name",
    ["customer_id", "no", "no_smoking", "INV_KEY", "fclt", "labor", "instagram", "neighborhood", "straße", "名字", ""],
)
def test_words_and_unknown_abbreviations_are_kept(name: str) -> None:
    assert expanded(name) == ""


def test_a_natural_name_with_other_words_is_kept() -> None:
    assert expanded("CUST_NBR", "who bought it") == "who bought it"
    assert expanded("CUST_NBR", "cust nbr") == "customer number"


def test_own_abbreviations_take_precedence() -> None:
    assert expanded("FCLT_CUST_NBR", CUST="custody", fclt="facility") == "facility custody number"
    assert expanded("1ST_NBR", **{"1ST": "first"}) == "first number"


def test_the_rest_of_the_schema_is_unchanged() -> None:
    tables = (Table("CUST", (Column("CUST_NBR"),), ("CUST_NBR",)), Table("ORD", (Column("CUST_NBR", "INT"),)))
    database = Database("ord_dw", tables, (ForeignKey("ORD", "CUST_NBR", "CUST", "CUST_NBR"),))
    after = with_expanded_names(database)
    assert [table.natural_name for table in after] == ["customer", "order"]
    assert (after.name, after.joins, after.keys) == (database.name, database.joins, database.keys)
    assert after["ORD"].columns[0].type == "INT"


def test_a_run_is_split_into_words_that_are_not_short_or_rare() -> None:
    assert split_run("orderpriority") == ["order", "priority"]
    assert split_run("key") == ["key"]
    assert split_run("absense") == ["absense"]  # "ab sense"
    assert split_run("labor") == ["labor"]  # "lab or"
    assert split_run("xqzkeyxqz") == ["xqzkeyxqz"]


def test_the_common_abbreviations_are_lower_case_words_that_stand_for_others() -> None:
    for short, long in common_abbreviations().items():
        assert short.isalpha()
        assert short == short.lower()
        assert long == " ".join(long.lower().split())
        assert short not in long.split()
