"""Whole databases, as strange as they may be: hypothesis strategies."""

from collections.abc import Sequence

from hypothesis import strategies as st

from joingr_pyg.schema import Column, Database, ForeignKey, Table

PUNCTUATION = (
    "a A a.b [x] ] ` ' \" q'q q\"q q`q '' \"\" -- /* */ ; , ( ) \\ %s {0} $x ${x} :x @x #x ? * 1 1e5 -1 <script>"
)
WORDS = "select Table group ORDER key primary constraint nan None null true = &amp; sqlite_sequence cust_id CUST_ID"
STRANGE = [
    *PUNCTUATION.split(),
    *WORDS.split(),
    *("", " ", " a", "a ", "b = c", "a.b = c.d", "Order Details", "\0", "\n", "\t", "a\nb", "x" * 300, "</style>"),
    *("ß", "ẞ", "İ", "ı", "名", "имя", "é", "e\u0301", "\U0001f469\u200d\U0001f467", "\u202e", "\u200b", "\ufeff"),
]
"""Names that have broken some tool: blank, quoted, reserved, split at dots, markup, folded letters, beyond ASCII."""

NAMES = st.one_of(st.sampled_from(STRANGE), st.text(max_size=12), st.from_regex(r"[a-z]{2,6}(_id)?", fullmatch=True))
TEXTS = st.one_of(st.just(""), st.sampled_from(STRANGE), st.text(max_size=40))
SOME_TYPES = ["", "INT", "TEXT", "VARCHAR(20)", "decimal(10, 2)", "ENUM('a', 'b')", "int[]", "DOUBLE PRECISION"]
TYPES = st.one_of(st.sampled_from(SOME_TYPES), TEXTS)


def columns(most: int) -> st.SearchStrategy[tuple[Column, ...]]:
    """At least one column; names may be alike but for letter case."""
    column = st.builds(Column, name=NAMES, type=TYPES, natural_name=TEXTS, description=TEXTS)
    return st.lists(column, min_size=1, max_size=most, unique_by=lambda column: column.name).map(tuple)


def wide(number: int) -> tuple[Column, ...]:
    """Thousands of columns that differ in their numbers alone."""
    return tuple(Column(f"c{position}", "INT") for position in range(number))


@st.composite
def tables(draw: st.DrawFn, name: str, most_columns: int) -> Table:
    """A table with no key, a key of one column or of several."""
    of_table = draw(columns(most_columns))
    names = [column.name for column in of_table]
    key = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    schema = draw(st.sampled_from(["", "public", "a.b", "名"]))
    return Table(name, of_table, tuple(key), draw(TEXTS), draw(TEXTS), schema)


@st.composite
def foreign_keys(draw: st.DrawFn, among: Sequence[Table]) -> ForeignKey:
    """A join of any two columns: of one table, parallel to others, in a circle, of a column with itself."""
    ends = []
    for _ in range(2):
        table = draw(st.sampled_from(among))
        ends += [table.name, draw(st.sampled_from(table.column_names))]
    return ForeignKey(
        *ends,
        description=draw(TEXTS),
        source=draw(st.sampled_from(["declared", "given", "inferred", "mined"])),
        confidence=draw(st.floats(0.01, 1.0)),
        evidence=draw(TEXTS),
    )


@st.composite
def databases(draw: st.DrawFn, most_tables: int = 6, most_columns: int = 6) -> Database:
    """A database that the model of schemas takes, of any shape."""
    names = draw(st.lists(NAMES, min_size=1, max_size=most_tables, unique=True))
    of_database = [draw(tables(name, most_columns)) for name in names]
    keys = draw(st.lists(foreign_keys(of_database), max_size=10))
    return Database(draw(NAMES), tuple(of_database), tuple(keys))


QUESTIONS = st.one_of(
    st.sampled_from(["Which customers ordered?", "a", "哪个部门预算最高？", "?", "'; DROP TABLE a; --", "x " * 3000]),
    st.text(min_size=1, max_size=60),
).filter(lambda text: bool(text.strip()))
