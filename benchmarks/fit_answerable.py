"""Fits whether a question fits a schema: ``python benchmarks/fit_answerable.py DATA``, with ``--write`` to keep it.

``DATA`` is the folder that the data sets lie in. Questions of the demo and of the real schemas with fewer than 700
columns are asked of their own schema, which they fit; questions of the other schemas, and sentences that no schema
answers (``off_topic.json``), are asked of it too, as many each. A logistic regression tells them apart by the evidence
of :mod:`joingr_pyg.retrieval.fitting` with MiniLM and untrained JoinGR+. All schemas count alike, and so do questions
that fit and those that do not.

Printed is how well it does on each schema when it was fitted to the others: the area under the ROC curve against each
of both kinds of questions that do not fit, the share of fitting questions that is refused at the threshold of the
package, and the shares of the others that are refused. Questions of other schemas are sometimes answerable after all,
such as those of one shop asked of another.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from joingr_pyg import TableRetriever, untrained
from joingr_pyg.atomic_files import atomic_write
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.encoders import CachedEncoder, MiniLMEncoder
from joingr_pyg.retrieval import fitting
from joingr_pyg.retrieval.fitting import EVIDENCE, LEAST_FIT, LOOKED_AT, evidence
from joingr_pyg.schema import Database, read_schema_json
from joingr_pyg.schema.preparation import Preparation

MOST_COLUMNS = 700
"""Larger schemas take minutes to embed and add few questions."""

OWN, OTHER, CHAT = range(3)
"""Kinds of questions: of the schema itself, of another schema, of none."""

PREPARE = Preparation(expand_names=True, infer_joins="auto")
"""How a user's schema is prepared by default."""


@dataclass(frozen=True)
class Asked:
    """Questions asked of one schema: ``[Q, E]`` their evidence, and ``[Q]`` their kinds."""

    name: str
    evidence: np.ndarray
    kind: np.ndarray


def schemas_with_questions(data: Path) -> list[tuple[Database, list[str]]]:
    """The schemas, each with its questions; the demo's warehouse counts once, with the questions of both splits."""
    found: dict[str, tuple[Database, list[str]]] = {}
    for split in ("train", "test"):
        demo = read_demo(split)
        for database in demo.databases:
            questions = found.setdefault(database.name, (database, []))[1]
            questions += [question.text for question in demo.questions if question.database == database.name]
    for path in sorted((data / "real_schemas").glob("*/schema.json")):
        database, _ = read_schema_json(path)
        if sum(len(table.columns) for table in database) < MOST_COLUMNS:
            lines = (path.parent / "questions.jsonl").read_text(encoding="utf-8").splitlines()
            found[database.name] = database, [json.loads(line)["question"] for line in lines]
    return list(found.values())


def asked(
    database: Database, own: Sequence[str], others: Sequence[str], off_topic: Sequence[str], encoder: CachedEncoder
) -> Asked:
    """Ask a schema all kinds of questions."""
    retriever = TableRetriever(PREPARE([database]), encoder, untrained())
    rows, kinds = [], []
    for kind, questions in enumerate((own, others, off_topic)):
        for question in questions:
            first = retriever.model.explained(Queries.encode([question], retriever.encoder), LOOKED_AT)
            rows.append(evidence(retriever.corpus, question, first.explain(0, LOOKED_AT)))
            kinds.append(kind)
    return Asked(database.name, np.array(rows), np.array(kinds))


def fit(examples: Sequence[Asked]) -> LogisticRegression:
    """Fit the regression, rounded as it is written."""
    weights = []
    for example in examples:
        fits = example.kind == OWN
        weights.append(np.where(fits, 1 / fits.sum(), 1 / (~fits).sum()))
    weight = np.concatenate(weights)
    regression = LogisticRegression(C=100, max_iter=1000).fit(
        np.concatenate([example.evidence for example in examples]),
        np.concatenate([example.kind == OWN for example in examples]),
        sample_weight=weight * len(weight) / weight.sum(),
    )
    regression.coef_, regression.intercept_ = regression.coef_.round(3), regression.intercept_.round(3)
    return regression


def measures(kind: np.ndarray, probability: np.ndarray) -> list[float]:
    """Areas under the curve, and shares that are refused, of questions of other schemas and of none."""
    areas = []
    for other in (OTHER, CHAT):
        both = (kind == OWN) | (kind == other)
        areas.append(float(roc_auc_score(kind[both] == OWN, probability[both])))
    return [*areas, *(float((probability[kind == each] < LEAST_FIT).mean()) for each in (OWN, OTHER, CHAT))]


def main() -> None:
    """Fit, measure, and write the weights if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="folder of the data sets")
    parser.add_argument("--cache", type=Path, help="folder of embeddings")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    arguments = parser.parse_args()
    encoder = MiniLMEncoder()
    cached = CachedEncoder(encoder, arguments.cache) if arguments.cache else CachedEncoder.of_user(encoder)
    off_topic = json.loads(Path(__file__).with_name("off_topic.json").read_text(encoding="utf-8"))
    sources = schemas_with_questions(arguments.data)
    examples = []
    for database, own in sources:
        others = [question for other, questions in sources if other is not database for question in questions]
        random, count = Random(database.name), len(off_topic) // 2
        drawn = random.sample(others, count), random.sample(off_topic, count)
        examples.append(asked(database, own, *drawn, cached))
        print(f"{database.name}: {len(own)} questions", flush=True)
    table = Table("left out", "AUC others", "AUC off topic", "refused own", "refused others", "refused off topic")
    kinds, probabilities = [], []
    for left_out in examples:
        regression = fit([example for example in examples if example is not left_out])
        kinds.append(left_out.kind)
        probabilities.append(regression.predict_proba(left_out.evidence)[:, 1])
        table.add_row(left_out.name, *(f"{value:.3f}" for value in measures(kinds[-1], probabilities[-1])))
    pooled = measures(np.concatenate(kinds), np.concatenate(probabilities))
    table.add_row("all", *(f"{value:.3f}" for value in pooled), style="bold")
    Console().print(table)
    regression = fit(examples)
    saved = {
        "encoder": encoder.identity,
        "intercept": float(regression.intercept_[0]),
        "weights": dict(zip(EVIDENCE, regression.coef_[0].tolist(), strict=True)),
    }
    print(json.dumps(saved))
    if arguments.write:
        with atomic_write(Path(fitting.__file__).with_name("fit_weights.json")) as file:
            file.write(json.dumps(saved, indent=1).encode() + b"\n")


if __name__ == "__main__":
    main()
