from joingr_pyg.datasets.benchmark import Benchmark, Dropped, Question
from joingr_pyg.datasets.cryptic_names import benchmark_with_cryptic_names
from joingr_pyg.schema import Column, Database, ForeignKey, Table

PARK = Database(
    "park",
    (
        Table("animalKeeper", (Column("keeperId"),), ("keeperId",)),
        Table("animal", (Column("animal_id"), Column("keeper")), ("animal_id",), natural_name="kept animal"),
    ),
    (ForeignKey("animal", "keeper", "animalKeeper", "keeperId"),),
)
ZOO = Database("zoo", PARK.tables, PARK.foreign_keys)
JOIN = (("animal", "keeper"), ("animalKeeper", "keeperId"))


def test_gold_tables_and_joins_get_the_new_names() -> None:
    questions = (
        Question(0, "Who feeds animal 7?", "park", ("animal", "animalKeeper"), (JOIN,), "SELECT * FROM animal"),
        Question(3, "Which are there?", "zoo", ("animal",)),
    )
    benchmark = Benchmark("b", "dev", (PARK, ZOO), questions, (Dropped(1, "park", "no table"),))
    cryptic = benchmark_with_cryptic_names(benchmark)
    park, zoo = cryptic.databases
    assert [[table.name for table in database] for database in (park, zoo)] == [
        *(["ANI_KPR", "KEPT_ANI"], ["A_KEEPER", "KEPT_A"])
    ]
    assert cryptic.questions == (
        Question(
            0, "Who feeds animal 7?", "park", ("KEPT_ANI", "ANI_KPR"), ((("KEPT_ANI", "KPR"), ("ANI_KPR", "KPR_ID")),)
        ),
        Question(3, "Which are there?", "zoo", ("KEPT_A",)),
    )
    (join,) = cryptic.questions[0].gold_joins
    assert frozenset(join) == park.joins[0].endpoints
    assert (cryptic.name, cryptic.split, cryptic.dropped) == ("b", "dev", benchmark.dropped)
