"""Why each table was found: its best column, the words it shares, the joins that led to it, and a sentence."""

from collections.abc import Mapping

import torch
from torch import Tensor

from joingr_pyg.data.queries import Queries
from joingr_pyg.models import Ranking, TrainableRetriever
from joingr_pyg.models.deposit_paths import Step, share_from_others, strongest_path
from joingr_pyg.nn import WalkOutput
from joingr_pyg.retrieval.reasons import reason, stands_out
from joingr_pyg.retrieval.results import RetrievedTable


@torch.no_grad()
def explain(model: TrainableRetriever, query: Queries, ranking: Ranking) -> list[RetrievedTable]:
    """Explain the tables that were ranked for one question.

    Args:
        model: The model, bound to its corpus.
        query: The question.
        ranking: ``[1, k]`` tables and scores, as the model ranked them.

    Returns:
        The tables in the order of the ranking, without its empty places.
    """
    corpus = model.corpus
    evidence = model.evidence(query)
    output = model(query.vector, evidence)
    seed, deposit = (seeds[0] for seeds in model.seeds(evidence))
    anchors, strong = set(seed.tolist()), set(seed[deposit >= deposit[seed >= 0].mean()].tolist())
    # The median, because a mean over few tables follows the best of them.
    above = {part: value[0] - value[0].median() for part, value in model.parts(evidence).items()}
    word_scores = model.word_scores(query.text[0])
    phrases = model.phrase_scores(query, evidence)
    tables = []
    for table, score in zip(ranking.table[0].tolist(), ranking.score[0].tolist(), strict=True):
        if table < 0:
            break
        database, name = corpus.tables[table]
        column = corpus.columns[int(evidence.column[0, table])]
        similarity = float(evidence.similarity[0, table])
        words = _matched_words(word_scores, table)
        own = {part: float(value[table]) for part, value in above.items()}
        path = [] if table in strong and stands_out(own) else _path(model, output, table)
        origin = corpus.tables[path[0].frontier][1] if path else None
        joins = tuple(corpus.join_name(step.edge) for step in path)
        phrase = max(phrases, key=lambda phrase: phrases[phrase][table], default="")
        sentence = reason(own, column, similarity, words, origin, joins, phrase)
        tables.append(
            RetrievedTable(database, name, score, column, similarity, words, table in anchors, joins, sentence)
        )
    return tables


def _path(model: TrainableRetriever, output: WalkOutput, table: int) -> list[Step]:
    """The joins along which a table's deposit came, where most of it came from other tables."""
    if not model.walks or share_from_others(output, 0, table) <= 0.5:
        return []
    return strongest_path(output, 0, table)


def _matched_words(scores: Mapping[str, Tensor], table: int) -> tuple[str, ...]:
    """The words that the question shares with a table, the one with the highest score first."""
    own = {word: score[table].item() for word, score in scores.items()}
    return tuple(sorted((word for word in own if own[word] > 0), key=lambda word: -own[word]))
