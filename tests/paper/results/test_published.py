from collections import Counter

from paper.results.published import paper_tables, published, source


def test_three_tables_of_fifteen_rows() -> None:
    assert Counter(row.dataset for row in published()) == {"beaver": 15, "bird": 15, "spider": 15}
    assert paper_tables() == {"beaver": 2, "bird": 3, "spider": 5}
    assert len({row.key for row in published()}) == 45
    assert "JoinGR" in source()


def test_numbers_as_printed() -> None:
    rows = {row.key: row.metrics for row in published()}
    assert rows["beaver", "minilm", "joingr", None] == {
        **{"P@5": 0.395, "P@15": 0.226, "R@5": 0.528},
        **{"R@15": 0.873, "PR@5": 0.182, "PR@15": 0.653},
    }
    assert rows["beaver", "bge", "joingr", "bird"]["R@15"] == 0.806
    assert rows["bird", "minilm", "joingr", "beaver"]["PR@5"] == 0.787
    assert rows["spider", "dtr", "vanilla", None]["R@15"] == 0.998
    assert rows["bird", "contriever", "jar", None] == {"P@5": 0.403, "R@5": 0.898}


def test_values_are_what_such_metrics_can_be() -> None:
    for row in published():
        assert row.metrics.keys() <= {"P@5", "P@15", "R@5", "R@15", "PR@5", "PR@15"}
        assert all(0 < value < 1 for value in row.metrics.values())
        for name in ("R", "PR"):
            assert row.metrics.get(f"{name}@5", 0) <= row.metrics.get(f"{name}@15", 1)
        assert row.metrics.get("PR@5", 0) <= row.metrics["R@5"]
