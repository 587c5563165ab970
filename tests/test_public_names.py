"""The names that users rely on: a change of one of them is a change of the interface."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PUBLIC = {
    "joingr_pyg": """
        EdgeScorer JoinGR JoinGRError JoinGRPlus JoinWalk RetrievalResult RetrievedJoin RetrievedTable TableRetriever
        __version__ heuristic pretrained untrained
    """,
    "joingr_pyg.data": "Corpus Queries WalkData join_graph",
    "joingr_pyg.datasets": """
        DATASETS Beaver BeaverNW Benchmark Bird Demo Dropped Folder JoinGraphs Question RealSchemas Spider build_graphs
    """,
    "joingr_pyg.describing": "Cost LanguageModel cost_of describe_schema",
    "joingr_pyg.download": "fetch_file fetch_zip_members",
    "joingr_pyg.encoders": """
        CachedEncoder EmbeddingCache Encoder HashingEncoder MiniLMEncoder PairScorer SentenceTransformerEncoder
        TapasEncoder require_question
    """,
    "joingr_pyg.evaluation": "BridgeRecall Difference RetrievalMetrics SetMetrics paired_bootstrap",
    "joingr_pyg.integrations.langchain_retriever": "JoinGRRetriever",
    "joingr_pyg.integrations.llama_index_retriever": "JoinGRRetriever sql_table_retriever",
    "joingr_pyg.models": """
        ColumnIndex Evidence JoinGR JoinGRPlus Ranking RerankedJoinGRPlus Retriever TableHits TrainableRetriever Vanilla
        WalkEvidence heuristic pretrained untrained
    """,
    "joingr_pyg.models.baselines": "BM25 NearestQuestions PageRank Rear Steiner",
    "joingr_pyg.models.baselines.jar": "IterativeJar Jar JoinAware",
    "joingr_pyg.models.joingr_plus": "CandidateReranker Feature JoinGRPlus TableEvidence TablePrior untrained",
    "joingr_pyg.models.reranking": "RerankedJoinGRPlus TableReranker default_model pretrained",
    "joingr_pyg.nn": """
        EdgeScorer Hop InteractionScorer JoinWalk Potentials Projections WalkOutput WalkPlan WalkPlanner segment_softmax
    """,
    "joingr_pyg.plotting": "draw_walk",
    "joingr_pyg.retrieval": "RetrievalResult RetrievedJoin RetrievedTable TableRetriever",
    "joingr_pyg.schema": """
        Column Database ForeignKey Table TableName infer_joins mine_joins read_beaver_tables read_database
        read_ddl read_schema_json read_tables_json
    """,
    "joingr_pyg.sharding": "RayEncoder ShardedCorpus",
    "joingr_pyg.training": "EdgeLoss QuestionSet TableLoss",
}


@pytest.mark.parametrize("package", PUBLIC)
def test_a_package_exports_these_names_and_no_others(package: str) -> None:
    if package.endswith("langchain_retriever"):
        pytest.importorskip("langchain_core")
    if package.endswith("llama_index_retriever"):
        pytest.importorskip("llama_index.core")
    module = import_module(package)
    assert sorted(module.__all__) == sorted(PUBLIC[package].split())
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert set(module.__all__) <= set(dir(module))


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'joingr_pyg' has no attribute 'TableRetreiver'"):
        import_module("joingr_pyg").TableRetreiver  # noqa: B018


def test_every_folder_of_the_package_with_public_names_is_listed() -> None:
    files = [path for path in (ROOT / "joingr_pyg").glob("*/__init__.py") if "__all__" in path.read_text("utf-8")]
    assert {f"joingr_pyg.{path.parent.name}" for path in files} <= set(PUBLIC)


HEAVY = {"sentence_transformers", "transformers", "lightning", "hydra", "omegaconf", "faiss", "sqlglot", "matplotlib"}

LIGHT = {
    "import joingr_pyg": HEAVY | {"torch", "numpy"},
    "import joingr_pyg.nn": HEAVY,
    "import joingr_pyg.schema": HEAVY | {"torch"},
    "from joingr_pyg.cli.main import main; main(['--help'])": HEAVY | {"torch", "numpy"},
    "import joingr_pyg.cli.compare.command": HEAVY | {"torch"},
    "import joingr_pyg.cli.significance.command": HEAVY | {"torch"},
}
"""Code, and libraries that it does not load."""


@pytest.mark.parametrize("code", LIGHT)
def test_what_starts_fast_loads_nothing_heavy(code: str) -> None:
    program = f"import sys\n{code}\nprint(*sorted({LIGHT[code]!r} & set(sys.modules)), file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stderr.split() == []


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.name)
def test_documents_import_public_names_only(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for module, names in re.findall(r"^\s*from (joingr_pyg[\w.]*) import ([\w, ]+)", text, flags=re.MULTILINE):
        assert module in PUBLIC, f"{module} is not a public package"
        assert set(names.replace(",", " ").split()) <= set(PUBLIC[module].split())
