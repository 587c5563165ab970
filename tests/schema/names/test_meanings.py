import pytest

from joingr_pyg.schema import Column, Database, Table
from joingr_pyg.schema.names.expansion import with_expanded_names
from joingr_pyg.schema.names.glossary import Words, with_words
from joingr_pyg.schema.names.meanings import Meanings

GIVEN = {
    "outbound_sms": "text message sent out",
    "SMS": "text message",
    "SqFt": "square feet",
    "e-mail": "electronic mail",
    "C": " system ",
}


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("outbound sms recipients", "text message sent out recipients"),  # The longest that matches.
        ("outboundsms", "text message sent out"),
        ("inbound sms", "inbound text message"),
        ("area sq ft", "area square feet"),
        ("area sqft", "area square feet"),
        ("e-mail of c", "electronic mail of system"),
        ("smsc", "smsc"),
        ("sq", "sq"),
        ("", ""),
    ],
)
def test_abbreviations_of_one_word_and_of_several(name: str, spelt: str) -> None:
    assert Meanings(GIVEN).spell_out(name) == spelt


def test_what_stands_between_abbreviations_is_left_to_others() -> None:
    assert Meanings(GIVEN).spell_out("my sms to c", str.upper) == "MY text message TO system"
    assert Meanings({}).spell_out("my sms", str.upper) == "MY SMS"


def test_a_words_file_explains_words_side_by_side() -> None:
    """Also where common abbreviations are expanded, and a meaning is not expanded again."""
    schema = Database("d", (Table("OUTBOUND_SMS", (Column("CUST_NBR"), Column("areaSqFt"), Column("AREA_SQFT"))),))
    given = {**GIVEN, "Cust_Nbr": "nbr of the buyer"}
    attached = with_words(schema, Words("a test", given))["OUTBOUND_SMS"]
    assert attached.natural_name == "text message sent out"
    names = ["nbr of the buyer", "area square feet", "area square feet"]
    assert [column.natural_name for column in attached.columns] == names
    assert with_expanded_names(schema, given)["OUTBOUND_SMS"] == attached
