"""A shop whose tables are described in the tests."""

import pytest

from joingr_pyg.describing import language_model
from joingr_pyg.schema import Column, Database, ForeignKey, Table


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key and no address of the user's, and no long pauses."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(language_model, "FIRST_PAUSE", 0.001)


@pytest.fixture
def shop() -> Database:
    return Database(
        "shop",
        (
            Table("CUST", (Column("CUST_KEY", "INT"), Column("NAME", "TEXT")), ("CUST_KEY",), description="Buyers."),
            Table("ORD", (Column("ORD_KEY", "INT"), Column("CUST_KEY", "INT"), Column("ST_CD", "CHAR")), ("ORD_KEY",)),
            Table("ORD_LN", (Column("ORD_KEY", "INT"), Column("QTY", "INT", description="Pieces."))),
            Table("ORD_HIST", (Column("NOTE", "TEXT"),)),
        ),
        (ForeignKey("ORD", "CUST_KEY", "CUST", "CUST_KEY"), ForeignKey("ORD_LN", "ORD_KEY", "ORD", "ORD_KEY")),
    )
