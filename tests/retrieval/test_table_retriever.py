import json
import logging
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path

import pytest
import torch

from joingr_pyg import RetrievedTable, TableRetriever
from joingr_pyg.data.queries import Queries
from joingr_pyg.datasets.demo import read_demo
from joingr_pyg.encoders import CachedEncoder, Encoder, HashingEncoder
from joingr_pyg.errors import JoinGRError
from joingr_pyg.models import JoinGR, Vanilla, heuristic
from joingr_pyg.models.checkpoint import KEY, STATE_PREFIX, Description
from joingr_pyg.models.joingr_plus import untrained
from joingr_pyg.schema import Column, Database, Table
from joingr_pyg.testing.algorithm2 import literal_scores, literal_walk
from joingr_pyg.text.tokens import words

DDL = files("joingr_pyg.datasets") / "demo" / "vet_clinic" / "schema.sql"
QUESTION = "Which owners have a dog that was vaccinated twice?"


@pytest.fixture(scope="module")
def retriever(encoder: Encoder) -> TableRetriever:
    return TableRetriever.from_ddl(str(DDL), encoder)


@pytest.fixture(scope="module")
def papers(encoder: Encoder) -> TableRetriever:
    return TableRetriever.from_ddl(str(DDL), encoder, model=heuristic())


def test_untrained_joingr_plus_answers_where_no_model_is_given(retriever: TableRetriever, encoder: Encoder) -> None:
    same = untrained().eval().index(retriever.corpus).rank(Queries.encode([QUESTION], encoder), 5)
    found = retriever.retrieve(QUESTION)
    assert [retriever.corpus.table_number["schema", each.table] for each in found] == same.table[0].tolist()
    assert [each.score for each in found] == pytest.approx(same.score[0].tolist(), abs=1e-5)


def test_the_paper_s_walk_ranks_with_literal_scores(papers: TableRetriever, encoder: Encoder) -> None:
    retriever, corpus, model = papers, papers.corpus, papers.model
    found = retriever.retrieve(QUESTION, k=corpus.num_tables)
    assert {each.database for each in found} == {"schema"}  # the name of the file
    assert sorted(each.table for each in found) == sorted(table.name for table in retriever.databases[0])

    query = encoder.encode_queries([QUESTION])[0]
    similarity, column = (each[0] for each in corpus.similarity(query[None]))
    anchors = similarity.argsort(descending=True)[:5].tolist()
    deposits = literal_walk(
        model.walk,
        query,
        corpus.x[column],
        corpus.edge_index,
        corpus.edge_attr,
        {anchor: similarity[anchor] for anchor in anchors},
    )
    expected = literal_scores(deposits, corpus.edge_index, corpus.num_tables)
    for each in found:
        number = corpus.table_number["schema", each.table]
        reached = expected[number] > 0
        assert each.score == pytest.approx(
            expected[number].item() if reached else similarity[number].item() - 1, abs=1e-5
        )
        assert each.similarity == pytest.approx(similarity[number].item())
        assert each.column == corpus.columns[column[number]]
        assert each.anchor == (number in anchors)
        assert each.joins or each.anchor or not reached
        assert each.matched_words == ()
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert retriever.retrieve(QUESTION, k=3) == found[:3]
    assert len(retriever.retrieve(QUESTION)) == 5


def test_without_k_as_many_tables_as_it_takes(retriever: TableRetriever, papers: TableRetriever) -> None:
    every = retriever.retrieve(QUESTION, k=retriever.corpus.num_tables)
    sets = [retriever.retrieve(QUESTION, k=None, complete=each) for each in (0.1, 0.5, 0.9, 0.99)]
    assert [each == every[: len(each)] for each in sets] == [True] * 4
    assert 1 <= len(sets[0]) < len(sets[3])
    assert retriever.retrieve(QUESTION, k=None) == sets[2]
    with pytest.raises(JoinGRError, match="not calibrated"):
        papers.retrieve(QUESTION, k=None)
    with pytest.raises(JoinGRError, match="'complete' needs"):
        retriever.retrieve(QUESTION, k=None, complete=1.5)


def test_joins_lead_from_an_anchor_to_the_table(retriever: TableRetriever) -> None:
    found = retriever.retrieve(QUESTION, k=retriever.corpus.num_tables)
    anchors = {each.table for each in found if each.anchor}
    declared = {
        f"{key.table}.{key.column} = {key.referenced_table}.{key.referenced_column}"
        for key in retriever.databases[0].joins
    }
    assert any(len(each.joins) >= 2 for each in found)
    for each in found:
        assert set(each.joins) <= declared
        assert len(set(each.joins)) == len(each.joins)
        standing = each.table
        for join in reversed(each.joins):
            ends = [end.split(".")[0] for end in join.split(" = ")]
            assert standing in ends
            standing = ends[1 - ends.index(standing)]
        if each.joins:
            assert standing in anchors


@pytest.mark.parametrize("named", ["retriever", "papers"])
def test_the_reason_tells_the_joins_of_a_table_that_was_reached(
    named: str, request: pytest.FixtureRequest, encoder: Encoder
) -> None:
    retriever: TableRetriever = request.getfixturevalue(named)
    found = retriever.retrieve(QUESTION, k=retriever.corpus.num_tables)
    model = retriever.model
    evidence = model.evidence(Queries.encode([QUESTION], encoder))
    seeds = dict(zip(*(each[0].tolist() for each in model.seeds(evidence)), strict=True))
    for each in found:
        if each.joins:
            origin, over, joins = each.reason.removeprefix("reached from ").partition(";")[0].partition(" over ")
            assert (over, joins) == (" over ", ", ".join(each.joins))
            assert origin in each.joins[0]
            assert retriever.corpus.table_number["schema", origin] in seeds
        else:
            assert not each.reason.startswith("reached")
    # What starts with the most has no way from elsewhere, and what was reached has started with less.
    strongest = max(seeds, key=lambda table: seeds[table])
    deposits = {each: seeds.get(retriever.corpus.table_number["schema", each.table], 0.0) for each in found}
    assert not next(each for each in found if deposits[each] == seeds[strongest]).joins
    assert any(each.joins for each in found)
    assert all(deposits[each] < seeds[strongest] for each in found if each.joins)


def test_the_words_that_match_are_told(retriever: TableRetriever) -> None:
    found = {each.table: each for each in retriever.retrieve(QUESTION, k=retriever.corpus.num_tables)}
    assert found["owners"].matched_words == ("owners",)
    assert "shares 'owners'" in found["owners"].reason
    both = next(each for each in retriever.retrieve("animals and their owners", k=100) if each.table == "animal_owners")
    assert sorted(both.matched_words) == ["animals", "owners"]
    for each in found.values():
        document = retriever.corpus.documents[retriever.corpus.table_number["schema", each.table]]
        assert {*words(" ".join(each.matched_words))} <= {*words(document)}


def test_without_the_walk_no_joins_are_a_reason(encoder: Encoder) -> None:
    alone = TableRetriever.from_ddl(str(DDL), encoder, model=untrained(walk=False))
    found = alone.retrieve(QUESTION, k=alone.corpus.num_tables)
    assert not any(each.joins or each.reason.startswith("reached") for each in found)


def test_joins_between_what_was_found_connect_it(retriever: TableRetriever, encoder: Encoder) -> None:
    def of(*tables: str) -> list[RetrievedTable]:
        return [each for each in retriever.retrieve(QUESTION, k=100) if each.table in tables]

    assert retriever.joins_between(of("owners", "animals")) == [
        "animal_owners.animal_id = animals.animal_id",
        "animal_owners.owner_id = owners.owner_id",
    ]
    # Names will do.
    assert retriever.joins_between(["animals", ("schema", "owners")]) == retriever.joins_between(
        of("owners", "animals")
    )
    assert retriever.joins_between(of("owners")) == []
    # Tables of one name in two databases are not taken for each other.
    twice = TableRetriever([*retriever.databases, replace(retriever.databases[0], name="b")], encoder)
    found = [each for each in twice.retrieve(QUESTION, k=100) if (each.database, each.table) != ("b", "animals")]
    apart = [each for each in found if each.table == "owners" or each.table == "animals"]
    assert len(twice.joins_between(apart)) == 2


ANSWERED = "Which of our patients came back within a week?"


def test_a_remembered_question_votes_for_its_tables(encoder: Encoder, tmp_path: Path) -> None:
    retriever = TableRetriever.from_ddl(str(DDL), encoder)
    k = retriever.corpus.num_tables
    before = retriever.retrieve(ANSWERED, k)
    last = before[-1].table
    assert retriever.remember([ANSWERED], [[last]]) is retriever
    after = retriever.retrieve(ANSWERED, k)
    place = [each.table for each in after].index(last)
    assert place < k - 1
    assert "similar answered questions needed it" in after[place].reason
    # More may be added, and what is remembered is saved with the model.
    retriever.remember([QUESTION, QUESTION], [[("schema", "owners")], []])
    assert len(retriever.model.memory) == 3
    retriever.save(tmp_path / "mine")
    again = TableRetriever.from_checkpoint(tmp_path / "mine", retriever.databases, encoder)
    assert again.retrieve(ANSWERED, k) == retriever.retrieve(ANSWERED, k) != before


def test_what_was_remembered_can_be_taken_back(encoder: Encoder) -> None:
    retriever = TableRetriever.from_ddl(str(DDL), encoder)
    before = retriever.retrieve(ANSWERED)
    retriever.remember([ANSWERED, QUESTION, ANSWERED], [["owners"], ["animals"], ["visits"]])
    assert retriever.retrieve(ANSWERED) != before
    with pytest.raises(JoinGRError, match="1 of 2 questions are not remembered, such as 'Who\\?'"):
        retriever.forget([ANSWERED, "Who?"])
    assert len(retriever.model.memory) == 3
    assert retriever.forget([ANSWERED]) is retriever
    assert len(retriever.model.memory) == 1
    assert retriever.forget([QUESTION]).retrieve(ANSWERED) == before


def test_many_questions_are_answered_as_one_by_one(encoder: Encoder) -> None:
    calls: list[int] = []

    class Counting(HashingEncoder):
        def encode_queries(self, texts: Sequence[str]) -> torch.Tensor:
            calls.append(len(texts))
            return super().encode_queries(texts)

    questions = [QUESTION, ANSWERED, QUESTION, "animals and their owners", "Rex"]
    for model in (untrained, heuristic):
        retriever = TableRetriever.from_ddl(str(DDL), CachedEncoder(Counting(64)), model=model())
        calls.clear()
        batch = retriever.retrieve_batch(questions, k=3)
        # One call, for whatever the model reads of all questions.
        assert calls == [len({text for question in questions for text in retriever.model.question_texts(question)})]
        assert [result.question for result in batch] == questions
        alone = TableRetriever.from_ddl(str(DDL), encoder, model=model())
        assert batch == [alone.retrieve(question, k=3) for question in questions]
        assert retriever.retrieve_batch([]) == []
    alone = TableRetriever.from_ddl(str(DDL), encoder)
    sets = alone.retrieve_batch(questions, k=None, complete=0.5)
    assert sets == [alone.retrieve(question, k=None, complete=0.5) for question in questions]


def test_what_is_no_question_is_refused(retriever: TableRetriever) -> None:
    for ask, message in (
        (lambda: retriever.retrieve(["a", "b"]), r"needs to be one text \(got list\): use retrieve_batch"),
        (lambda: retriever.retrieve_batch("a"), r"retrieve_batch takes a list of questions \(got the text 'a'\)"),
        (lambda: retriever.retrieve_batch(["a", None]), r"A question needs to be a text \(got NoneType: None\)"),
        (lambda: retriever.remember("a", ["owners"]), "remember takes a list of questions"),
        (lambda: retriever.forget("a"), "forget takes a list of questions"),
        (lambda: retriever.retrieve("a", k="5"), r"'k' needs to be a whole number \(got '5'\)"),
        (lambda: retriever.joins_between("owners"), r"'tables' needs to be a list of tables \(got 'owners'\)"),
        (lambda: retriever.joins_between(["ownrs"]), "No database has the table 'ownrs': did you mean 'owners'"),
    ):
        with pytest.raises(JoinGRError, match=message):
            ask()


def test_what_is_embedded_is_kept_for_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINGR_CACHE", str(tmp_path / "cache"))
    texts: list[str] = []

    class Counting(HashingEncoder):
        def encode_queries(self, questions: Sequence[str]) -> torch.Tensor:
            texts.extend(questions)
            return super().encode_queries(questions)

        encode_documents = encode_queries

    first = TableRetriever.from_ddl(str(DDL), Counting(64)).retrieve(QUESTION)
    assert {QUESTION} < {*texts}
    texts.clear()
    assert TableRetriever.from_ddl(str(DDL), Counting(64)).retrieve(QUESTION) == first
    assert texts == []


def test_what_cannot_be_remembered_is_told(papers: TableRetriever, encoder: Encoder) -> None:
    one = TableRetriever.from_ddl(str(DDL), encoder)
    two = TableRetriever([*one.databases, replace(one.databases[0], name="b")], encoder)
    for retriever, questions, tables, message in (
        (one, [ANSWERED], [["owner"]], r"No database has the table 'owner': did you mean 'owners'\?"),
        (one, [ANSWERED], [[("b", "owners")]], r"No database has the table \('b', 'owners'\)"),
        (two, [ANSWERED], [["owners"]], r"Several databases have a table 'owners': name it as \(database, table\)"),
        (one, [ANSWERED, QUESTION], [["owners"]], r"Each of 2 questions needs a list of its tables \(got 1: "),
        (one, [ANSWERED], ["owners"], r"Each of 1 questions needs a list of its tables \(got 1: \['owners'\]\)"),
        (one, [" "], [["owners"]], "The question is blank"),
        (papers, [ANSWERED], [["owners"]], "This model does not remember questions"),
        (TableRetriever(one.databases, encoder, untrained(memory=None)), [], [], "does not remember"),
    ):
        with pytest.raises(JoinGRError, match=message):
            retriever.remember(questions, tables)
    assert len(one.model.memory) == len(two.model.memory) == 0


@pytest.mark.parametrize("blank", ["", "   ", "\n\t"])
def test_a_blank_question_is_refused(retriever: TableRetriever, blank: str) -> None:
    with pytest.raises(JoinGRError, match="The question is blank") as caught:
        retriever.retrieve(blank)
    assert repr(blank) in str(caught.value)


@pytest.mark.parametrize("question", ["哪个部门预算最高？", "how many " * 5000, "?", "SELECT * FROM x; --", "a\0b"])
def test_any_other_question_is_answered(retriever: TableRetriever, question: str) -> None:
    found = retriever.retrieve(question, k=4)
    assert len({each.table for each in found}) == 4


def test_no_questions_have_no_answers(retriever: TableRetriever, encoder: Encoder) -> None:
    query = encoder.encode_queries([])
    assert query.shape == (0, 64)
    for method in (retriever.model, Vanilla().index(retriever.corpus)):
        assert method.rank(Queries(query), 5).table.shape == (0, 5)


def test_less_than_one_table_is_refused(retriever: TableRetriever) -> None:
    with pytest.raises(JoinGRError, match=r"'k' needs to be at least 1 \(got 0\)"):
        retriever.retrieve(QUESTION, k=0)


def test_more_tables_than_there_are_gives_all_of_them(retriever: TableRetriever) -> None:
    assert len(retriever.retrieve(QUESTION, k=1000)) == retriever.corpus.num_tables


def test_tables_left_out_are_not_listed(retriever: TableRetriever, encoder: Encoder) -> None:
    alone = Database("alone", (Table("island", (Column("dog owners vaccinated twice"),)),))
    databases = (*retriever.databases, alone)
    found = TableRetriever(databases, encoder, heuristic(unreached="drop")).retrieve(QUESTION, k=100)
    assert "island" not in {each.table for each in found}
    assert all(each.score > 0 for each in found)
    behind = TableRetriever(databases, encoder, heuristic()).retrieve(QUESTION, k=100)
    island = next(each for each in behind if each.table == "island")
    assert (island.database, island.anchor, island.joins, island.score <= 0) == ("alone", True, (), True)


def test_sqlite_s_own_table_is_never_retrieved(encoder: Encoder) -> None:
    database = Database("d", (Table("sqlite_sequence", (Column("name"), Column("seq"))), Table("a", (Column("id"),))))
    assert [each.table for each in TableRetriever([database], encoder).retrieve("name seq of sqlite_sequence")] == ["a"]


def test_databases_without_tables_or_with_one_name_are_refused(retriever: TableRetriever, encoder: Encoder) -> None:
    with pytest.raises(JoinGRError, match="at least one database"):
        TableRetriever([], encoder)
    with pytest.raises(JoinGRError, match="Two databases of a corpus are named 'schema'"):
        TableRetriever([*retriever.databases, *retriever.databases], encoder)


def test_words_of_a_schema_are_read_from_their_file(tmp_path: Path, encoder: Encoder) -> None:
    (tmp_path / "shop.sql").write_text("CREATE TABLE CUST (ID INT); CREATE TABLE INV (ID INT); CREATE TABLE X (ID INT)")
    (tmp_path / "words.json").write_text('{"provenance": "a test", "abbreviations": {"INV": "warehouse stock"}}')
    question = "Which warehouse stock is there?"
    found = TableRetriever.from_ddl(tmp_path / "shop.sql", encoder, words=tmp_path / "words.json")
    assert found.databases[0]["INV"].natural_name == "warehouse stock"
    assert found.retrieve(question, k=1)[0].table == "INV"
    with pytest.raises(JoinGRError, match=r"'gone\.json' is missing"):
        TableRetriever.from_ddl(tmp_path / "shop.sql", encoder, words=tmp_path / "gone.json")


def test_names_are_spelt_out_those_of_the_words_file_first(tmp_path: Path, encoder: Encoder) -> None:
    (tmp_path / "shop.sql").write_text("CREATE TABLE FCLT_CUST (ORDERNO INT, CUST_NBR INT, FCLT_NBR INT)")
    words = {"provenance": "a test", "abbreviations": {"fclt": "facility", "CUST": "custody"}}
    (tmp_path / "words.json").write_text(json.dumps(words))
    names = {}
    for option in ({}, {"words": tmp_path / "words.json"}):
        (table,) = TableRetriever.from_ddl(tmp_path / "shop.sql", encoder, **option).databases[0]
        names[len(option)] = [table.natural_name, *(column.natural_name for column in table.columns)]
    assert names[0] == ["fclt customer", "order number", "customer number", "fclt number"]
    assert names[1] == ["facility custody", "order number", "custody number", "facility number"]
    (plain,) = TableRetriever.from_ddl(tmp_path / "shop.sql", encoder, expand_names=False).databases[0]
    assert plain.natural_name == ""


def test_a_schema_file_that_cannot_be_read_is_told(tmp_path: Path, encoder: Encoder) -> None:
    binary = tmp_path / "shop.sqlite"
    binary.write_bytes(b"SQLite format 3\0\xff\xfe")
    for path, reason in ((tmp_path / "gone.sql", "No such file"), (tmp_path, "directory"), (binary, "SQLite database")):
        with pytest.raises(JoinGRError, match=reason) as caught:
            TableRetriever.from_ddl(path, encoder)
        assert repr(str(path)) in str(caught.value)
    empty = tmp_path / "empty.sql"
    empty.write_text("SELECT 1;")
    with pytest.raises(JoinGRError, match="The DDL of database 'empty' creates no table"):
        TableRetriever.from_ddl(empty, encoder)


def test_a_schema_may_be_text_or_several_files_and_its_size_is_logged(
    tmp_path: Path, encoder: Encoder, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "shop.sql").write_text("CREATE TABLE a (id INT); CREATE TABLE b (a_id INT);")
    (tmp_path / "keys.sql").write_text(
        "ALTER TABLE a ADD PRIMARY KEY (id); ALTER TABLE b ADD FOREIGN KEY (a_id) REFERENCES a;"
    )
    with caplog.at_level(logging.INFO, "joingr_pyg.retrieval"):
        whole = TableRetriever.from_ddl([tmp_path / "shop.sql", tmp_path / "keys.sql"], encoder)
    assert caplog.messages == ["shop: 2 tables, 2 columns, 1 foreign key."]
    assert list(map(str, whole.databases[0].foreign_keys)) == ["b.a_id = a.id"]
    caplog.clear()
    TableRetriever.from_ddl((tmp_path / "shop.sql").read_text(), encoder)
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "declares no foreign key" in warning
    assert "give both files as a list" in warning


NO_KEYS = """
CREATE TABLE customer (id INT PRIMARY KEY, name TEXT);
CREATE TABLE invoice (id INT PRIMARY KEY, customer_id INT, town INT);
CREATE TABLE city (id INT PRIMARY KEY, mayor TEXT);
"""


def test_joins_are_inferred_and_given_and_say_so(encoder: Encoder) -> None:
    retriever = TableRetriever.from_ddl(NO_KEYS, encoder, joins=[("invoice.town", "city.id")])
    joins = {str(join): join.source for join in retriever.retrieve("invoice customer city", 3).joins}
    assert joins == {"invoice.customer_id = customer.id": "inferred", "invoice.town = city.id": "given"}
    never = TableRetriever.from_ddl(NO_KEYS, encoder, infer_joins=False)
    assert never.databases[0].joins == ()


def test_a_given_join_of_an_unknown_column_is_refused(encoder: Encoder) -> None:
    with pytest.raises(JoinGRError, match=r"no column 'invoice\.twn': did you mean 'invoice\.town'\?"):
        TableRetriever.from_ddl(NO_KEYS, encoder, joins=[("invoice.twn", "city.id")])


@pytest.fixture
def checkpoint(tmp_path: Path, encoder: Encoder) -> Path:
    torch.manual_seed(1)
    model = JoinGR(64, anchors=2, hops=3)
    description = Description(model.arguments, encoder.name, encoder.identity, "demo", 0)
    weights = {STATE_PREFIX + name: value for name, value in model.state_dict().items()}
    torch.save({KEY: asdict(description), "state_dict": weights}, tmp_path / "best.ckpt")
    return tmp_path / "best.ckpt"


def test_a_trained_scorer_answers(checkpoint: Path, retriever: TableRetriever, encoder: Encoder) -> None:
    databases = read_demo("train").databases[:2]
    trained = TableRetriever.from_checkpoint(checkpoint, databases, encoder)
    assert (trained.model.anchors, trained.model.walk.hops, trained.model.training) == (2, 3, False)
    found = trained.retrieve(QUESTION, k=5)
    torch.manual_seed(1)
    same = TableRetriever(databases, encoder, JoinGR(64, anchors=2, hops=3))
    assert found == same.retrieve(QUESTION, k=5)
    assert len([each for each in trained.retrieve(QUESTION, k=50) if each.anchor]) == 2


def test_a_scorer_of_another_encoder_is_refused(checkpoint: Path) -> None:
    other = CachedEncoder(HashingEncoder(dim=32))
    with pytest.raises(JoinGRError, match=re.escape("encoder 'hashing-64'")) as caught:
        TableRetriever.from_checkpoint(checkpoint, read_demo("train").databases[:1], other)
    assert "not with 'hashing-32'" in str(caught.value)


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path, encoder: Encoder) -> None:
    (tmp_path / "notes.txt").write_text("to do")
    with pytest.raises(JoinGRError, match="is no JoinGR checkpoint"):
        TableRetriever.from_checkpoint(tmp_path / "notes.txt", read_demo("train").databases[:1], encoder)
