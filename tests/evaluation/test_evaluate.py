import json
import time
from typing import Any

import pytest
import torch
from torch import Tensor

from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets import JoinGraphs, Spider
from joingr_pyg.encoders import Encoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.evaluation.evaluate import Evaluation, evaluate, require_folds
from joingr_pyg.models import JoinGR, Ranking, Retriever, Vanilla, heuristic


def schema(name: str, *tables: str) -> dict[str, Any]:
    columns = [[-1, "*"], *([number, "id"] for number in range(len(tables)))]
    return {"db_id": name, "table_names_original": tables, "column_names_original": columns}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> JoinGraphs:
    """Tables 0 zoo.cage, 1 zoo.animal, 2 shop.order, 3 shop.item, 4 shop.price, and four questions on them."""
    root = tmp_path_factory.mktemp("data")
    (root / "spider").mkdir()
    rows = [
        ("shop", "Which items?", "SELECT 1 FROM item"),
        ("zoo", "Which cages?", "SELECT 1 FROM cage JOIN animal"),
        ("shop", "Which prices?", "SELECT 1 FROM price JOIN item"),
        ("shop", "Which orders?", 'SELECT 1 FROM "order"'),
    ]
    schemas = [schema("zoo", "cage", "animal"), schema("shop", "order", "item", "price")]
    (root / "spider" / "tables.json").write_text(json.dumps(schemas))
    (root / "spider" / "dev.json").write_text(
        json.dumps([{"db_id": database, "question": text, "query": sql} for database, text, sql in rows])
    )
    return Spider(root, "dev", encoder, root / "cache", download=False)


class Fixed(Retriever):
    """Ranks the tables of a corpus by number, the same for every question, with scores of nought and below."""

    sizes: list[int]
    corpora: list[int]

    def __init__(self) -> None:
        super().__init__()
        self.sizes, self.corpora = [], []

    def rank(self, query: Tensor, k: int) -> Ranking:
        self.sizes.append(len(query))
        self.corpora.append(self.corpus.num_tables)
        assert not self.training
        tables = torch.arange(self.corpus.num_tables).expand(len(query), -1)
        return Ranking(tables, -tables.float()).first(k)


def run(dataset: JoinGraphs, method: Retriever, **options: Any) -> Evaluation:
    return evaluate(method, dataset, dataset.encode_questions(), **options)


def test_pooled_evaluation_ranks_all_tables(dataset: JoinGraphs) -> None:
    # Gold numbers are {3}, {0, 1}, {4, 3}, {2}; the first three tables are 0, 1, 2.
    method = Fixed()
    result = run(dataset, method, ks=(3, 4))
    assert method.corpora == [5]
    assert result.metrics == pytest.approx(
        {
            "P@3": (0 + 2 / 3 + 0 + 1 / 3) / 4,
            "R@3": (0 + 1 + 0 + 1) / 4,
            "PR@3": (0 + 1 + 0 + 1) / 4,
            "P@4": (1 / 4 + 2 / 4 + 1 / 4 + 1 / 4) / 4,
            "R@4": (1 + 1 + 1 / 2 + 1) / 4,
            "PR@4": (1 + 1 + 0 + 1) / 4,
        }
    )


def test_per_database_evaluation_ranks_tables_of_one_database(dataset: JoinGraphs) -> None:
    # Gold numbers are {1} of shop, {0, 1} of zoo, {2, 1} and {0} of shop; the first two tables are 0, 1 of each.
    method = Fixed()
    result = run(dataset, method, setting="per_database", ks=(2,))
    assert sorted(zip(method.corpora, method.sizes, strict=True)) == [(2, 1), (3, 3)]
    assert result.metrics == pytest.approx(
        {"P@2": (1 / 2 + 1 + 1 / 2 + 1 / 2) / 4, "R@2": (1 + 1 + 1 / 2 + 1) / 4, "PR@2": (1 + 1 + 0 + 1) / 4}
    )
    assert [record["index"] for record in result.records] == [0, 1, 2, 3]
    assert [table["table"] for table in result.records[1]["ranked"]] == ["zoo.cage", "zoo.animal"]


def test_records_have_gold_and_ranked_tables(dataset: JoinGraphs) -> None:
    records = run(dataset, Fixed(), ks=(2, 9)).records
    assert len(records) == 4
    assert records[2] == {
        "index": 2,
        "question": "Which prices?",
        "database": "shop",
        "gold": ["shop.price", "shop.item"],
        "ranked": [
            {"table": "zoo.cage", "score": 0.0},
            {"table": "zoo.animal", "score": -1.0},
            {"table": "shop.order", "score": -2.0},
            {"table": "shop.item", "score": -3.0},
            {"table": "shop.price", "score": -4.0},
        ],
    }
    assert json.loads(json.dumps(records)) == records


def test_some_of_the_questions_with_their_own_embeddings(dataset: JoinGraphs) -> None:
    questions = [dataset.questions[3], dataset.questions[1]]
    query = dataset.encode_questions()[[3, 1]]
    result = evaluate(Vanilla(), dataset, query, questions, ks=(5,))
    whole = run(dataset, Vanilla(), ks=(5,))
    assert [record["index"] for record in result.records] == [1, 3]
    assert result.records == [whole.records[1], whole.records[3]]


@pytest.mark.parametrize("method", [Vanilla, heuristic])
@pytest.mark.parametrize("setting", ["pooled", "per_database"])
def test_batches_change_nothing(dataset: JoinGraphs, method: Any, setting: str) -> None:
    whole = run(dataset, method(), setting=setting, ks=(1, 3))
    parts = run(dataset, method(), setting=setting, ks=(1, 3), batch_size=1)
    assert parts.metrics == pytest.approx(whole.metrics)
    assert parts.records == whole.records


def test_scores_may_be_zero_or_negative(dataset: JoinGraphs) -> None:
    """Some libraries' retrieval metrics drop what is not positive."""
    vector = dataset.encode_questions().vector
    for method in (Vanilla(), heuristic()):
        assert evaluate(method, dataset, Queries(0 * vector), ks=(5,)).metrics["PR@5"] == 1
        against = evaluate(method, dataset, Queries(-vector), ks=(5,))
        assert against.metrics["PR@5"] == 1
        assert min(table["score"] for record in against.records for table in record["ranked"]) < 0


def test_only_ranking_is_timed(dataset: JoinGraphs) -> None:
    result = run(dataset, Vanilla())
    assert 0 < result.seconds < 5
    assert result.questions_per_second == pytest.approx(4 / result.seconds)


@pytest.mark.parametrize("setting", ["pooled", "per_database"])
def test_compiled_code_is_loaded_before_the_clock_runs(
    dataset: JoinGraphs, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that stands still but while the first ranking of a process compiles, which takes 100 seconds."""
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    class Compiling(JoinGR):
        ranked = 0

        def rank(self, queries: Queries, k: int) -> Ranking:
            clock[0] += 1 if self.ranked else 100
            self.ranked += 1
            return super().rank(queries, k)

    result = run(dataset, Compiling(None), setting=setting, batch_size=1)
    assert result.seconds == 4
    assert result.questions_per_second == 1


def test_invalid_arguments_are_refused(dataset: JoinGraphs) -> None:
    with pytest.raises(JoinGRError, match=r"Dataset 'spider' \(dev\) has no questions to evaluate"):
        evaluate(Vanilla(), dataset, Queries(torch.empty(0, 64)), [])
    with pytest.raises(JoinGRError, match="There is no setting 'both': choose 'pooled' or 'per_database'"):
        run(dataset, Vanilla(), setting="both")
    for ks in ((5, 0), (), (2.5,), 5):
        with pytest.raises(JoinGRError, match="'ks' needs to be a list of cut-offs, each at least 1"):
            run(dataset, Vanilla(), ks=ks)
    with pytest.raises(JoinGRError, match=r"'batch_size' needs to be at least 1 \(got 0\)"):
        run(dataset, Vanilla(), batch_size=0)


def test_a_held_out_fold_needs_folds() -> None:
    with pytest.raises(JoinGRError, match=r"'fold_held_out' needs the number of inner folds: give 'folds' too"):
        require_folds(None, has_test_split=False, held_out=0)
    require_folds(4, has_test_split=False, held_out=0)
