from pathlib import Path

import pytest

from joingr_pyg.describing.answers import Answer, TableWords
from joingr_pyg.describing.cost import JOIN_TOKENS, TABLE_TOKENS, Cost, cost_of
from joingr_pyg.describing.words_file import WordsFile
from joingr_pyg.schema import Database


def test_cost_counts_what_is_left_to_ask(shop: Database, tmp_path: Path) -> None:
    cost = cost_of(shop, batch=2)
    assert (cost.tables, cost.joins, cost.requests) == (4, 0, 2)
    assert cost.tokens_written == 4 * TABLE_TOKENS + 2 * JOIN_TOKENS
    assert cost_of(shop, edge_purposes=False).tokens_written == 4 * TABLE_TOKENS
    assert cost_of(shop).tokens_read < cost.tokens_read  # The instructions are sent once.
    WordsFile(shop, tmp_path / "words.json", "m").add(Answer([TableWords("ORD", "a purchase")], {}, {}))
    assert cost_of(shop, tmp_path / "words.json").tables == 3


def test_a_price_is_of_a_million_tokens() -> None:
    assert Cost(1, 0, 1, 2_000_000, 500_000).price(0.5, 4) == pytest.approx(3.0)
