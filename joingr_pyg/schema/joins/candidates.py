"""Pairs of columns that may be joined, by their names alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from joingr_pyg.schema.joins.column_kinds import may_refer
from joingr_pyg.schema.joins.name_words import ColumnName, SchemaWords, is_person_role, person_tables, runs, shortened
from joingr_pyg.schema.joins.vocabulary import CONTACT, GENERIC, KEY_WORDS, POSITIONS, TEACHERS
from joingr_pyg.schema.model import Database, Table

TABLES_KEPT = 8
"""Tables that a column may refer to by the words of its name, at most."""

MOST_GENERIC_KEYS = 2
"""Tables with a key such as *id* that columns named so may refer to, at most; where more have one, it says nothing."""

LARGEST_GROUP = 6
"""Columns of equal name of which all pairs are candidates, at most; of more only those with a key are."""

MODIFIER_SHARE = 0.6
"""How much it counts that a column's name holds words of a table's name but for the last: a *role attribute* is no
role."""

SHORTEST_MATCH = 4
"""Letters of a table's name that is looked for within words that are run together, at least."""


@dataclass(frozen=True)
class Naming:
    """How the name of a column names a table.

    Args:
        named: Share of the table's name that the column's name holds, by the words' weight.
        covered: Share of the letters of the column's name, key words left out, that name the table.
        before: Words of the column's name before those that name the table.
        after: Words behind them.
        head: Whether the words are the last of the table's name.
    """

    named: float
    covered: float
    before: tuple[str, ...]
    after: tuple[str, ...]
    head: bool = False


NOT_NAMED = Naming(0.0, 0.0, (), ())


@dataclass(frozen=True)
class Candidate:
    """A column that may refer to another.

    Args:
        column: The referring column.
        key: The column that it may refer to.
        naming: How the column's name names the key's table.
        rivals: Number of other tables that the column's name names at least as well; those with a key of several
            columns are none, because they connect things rather than hold them.
        person: Whether the column's name is a role of people (``created_by``) and the key's table holds people.
        part: Whether the name of the column's table begins with that of the key's table (``order_item``, ``order``).
        special: Whether the name of the column's table ends with that of the key's table (``card_payment`` and
            ``payment``).
    """

    column: ColumnName
    key: ColumnName
    naming: Naming
    rivals: int
    person: bool
    part: bool
    special: bool


class CandidateFinder:
    """Finds the columns that each column of a schema may refer to.

    Args:
        database: The schema.
        words: The words of its names.
    """

    def __init__(self, database: Database, words: SchemaWords) -> None:
        self._database = database
        self._words = words
        self._people = person_tables(words.tables)
        self._teachers = person_tables(words.tables, TEACHERS)
        self._runs: dict[str, dict[str, float]] = defaultdict(dict)
        self._heads: set[tuple[str, str]] = set()
        self._initials: dict[str, list[tuple[str, float, tuple[str, ...]]]] = defaultdict(list)
        for name, parts in words.tables.items():
            whole = words.weight(parts) or 1.0
            for first, last, run in runs(parts):
                share = words.weight(parts[first:last]) / whole
                if last == len(parts):
                    self._heads.add((run, name))
                else:
                    share *= MODIFIER_SHARE
                self._runs[run][name] = max(share, self._runs[run].get(name, 0.0))
                if last == len(parts) and last - first > 1:
                    self._initials[run[0]].append((name, share, tuple(parts[first:])))
        self._short: dict[str, list[tuple[str, float]]] = {}
        self._joined = {name: "".join(parts) for name, parts in words.tables.items()}
        self._keys = {table.name: self._possible_keys(table) for table in database}
        self._by_name: dict[str, list[ColumnName]] = defaultdict(list)
        for table in database:
            for column in words.columns[table.name]:
                self._by_name[column.joined].append(column)
        self._primary: dict[tuple[str, ...], list[ColumnName]] = defaultdict(list)
        for column in words.all_columns():
            if column.is_primary and not set(column.words) <= GENERIC:
                self._primary[column.words].append(column)
        self._place = {(c.table.name, c.column.name): c for c in words.all_columns()}
        self._declared: dict[str, Counter] = defaultdict(Counter)
        for join in database.joins:
            self._declared[self._place[join.table, join.column].joined][
                join.referenced_table, join.referenced_column
            ] += 1

    def candidates(self) -> Iterator[Candidate]:
        """All candidates, a pair of columns at times in both directions."""
        for column in self._words.all_columns():
            yield from self._of(column)

    def _of(self, column: ColumnName) -> Iterator[Candidate]:
        named = self._named_tables(column)
        people = self._people_of(column)
        contact = not CONTACT.isdisjoint(column.words)
        position = len(column.words) > 1 and column.words[-1] in POSITIONS
        seen = {(column.table.name, column.column.name)}
        for key in self._options(column, named, people):
            place = (key.table.name, key.column.name)
            if place in seen or (key.joined != column.joined and not may_refer(column.column.type, key.column.type)):
                continue
            if position and key.joined != column.joined:
                continue
            if contact and CONTACT.isdisjoint(self._words.tables[key.table.name]):
                continue
            seen.add(place)
            naming = named.get(key.table.name, NOT_NAMED)
            rivals = sum(
                other.named >= naming.named and other.covered >= naming.covered
                for name, other in named.items()
                if name not in (key.table.name, column.table.name) and len(self._database[name].primary_key) < 2
            )
            own, whole = self._words.tables[column.table.name], self._words.tables[key.table.name]
            longer = len(own) > len(whole)
            yield Candidate(
                column,
                key,
                naming,
                rivals,
                key.table.name in people,
                longer and own[: len(whole)] == whole,
                (longer and own[-len(whole) :] == whole)
                or (
                    key.table is not column.table
                    and self._joined[column.table.name].endswith(self._joined[key.table.name])
                ),
            )

    def _options(self, column: ColumnName, named: dict[str, Naming], people: list[str]) -> Iterator[ColumnName]:
        for table, naming in named.items():
            yield from self._keys[table]
            for other in self._words.columns[table]:
                size = len(other.words)
                ending = column.words[-size:] == other.words
                if naming.after == other.words or (ending and (size > 1 or other.joined not in GENERIC)):
                    yield other
        for size in range(1, len(column.words) + 1):
            yield from self._primary.get(column.words[-size:], ())[:LARGEST_GROUP]
        yield from self._equal_names(column)
        for table in people:
            yield from self._keys[table]
        if not named or set(column.content) <= GENERIC or column.is_primary:
            yield from self._base_tables(column)
        for place, _ in self._declared[column.joined].most_common(3):
            yield self._place[place]

    def _people_of(self, column: ColumnName) -> list[str]:
        """The table of people that a column named after a role of theirs may refer to."""
        if not is_person_role(column.words):
            return []
        return self._people if TEACHERS.isdisjoint(column.words) else self._teachers

    def _base_tables(self, column: ColumnName) -> Iterator[ColumnName]:
        """Keys of the tables whose name begins or ends that of the column's own, and of that table itself."""
        own = self._words.tables[column.table.name]
        yield from self._keys[column.table.name]
        for size in range(1, len(own)):
            for run in ("".join(own[:size]), "".join(own[-size:])):
                for table, share in self._runs.get(run, {}).items():
                    if share > 0.99:
                        yield from self._keys[table]
        if column.is_primary:
            joined = self._joined[column.table.name]
            for start in range(1, len(joined) - SHORTEST_MATCH + 1):
                for table, share in self._runs.get(joined[start:], {}).items():
                    if share > 0.99:
                        yield from self._keys[table]

    def _named_tables(self, column: ColumnName) -> dict[str, Naming]:
        """The tables that the name of a column holds, best first."""
        words = column.words
        letters = sum(map(len, column.content)) or 1
        namings: dict[str, Naming] = {}

        def add(table: str, naming: Naming) -> None:
            old = namings.get(table, NOT_NAMED)
            if naming.named + naming.covered > old.named + old.covered:
                namings[table] = naming

        for first, last, run in runs(words):
            covered = sum(len(word) for word in words[first:last] if word not in KEY_WORDS) / letters
            if not covered:
                continue
            for table, share in self._runs.get(run, {}).items():
                add(table, Naming(share, covered, words[:first], words[last:], (run, table) in self._heads))
            if last == first + 1 and KEY_WORDS.intersection(words[last:]):
                for table, share in self._shortened(run):
                    add(table, Naming(share * 0.9, covered, words[:first], words[last:]))
        if not namings:
            for table, naming in self._within(column).items():
                add(table, naming)
        best = sorted(namings, key=lambda name: (-namings[name].named - namings[name].covered, name))[:TABLES_KEPT]
        return {name: namings[name] for name in best}

    def _shortened(self, word: str) -> list[tuple[str, float]]:
        if word not in self._short:
            self._short[word] = (
                [
                    (t, share)
                    for t, share, parts in self._initials.get(word[0], ())
                    if len(parts) <= len(word) and shortened(word, parts)
                ]
                if 1 < len(word) <= 6 and max(self._runs.get(word, {}).values(), default=0.0) < 0.9
                else []
            )
        return self._short[word]

    def _within(self, column: ColumnName) -> dict[str, Naming]:
        """The tables whose name ends the name of a column in which words are run together, or begins with it."""
        namings: dict[str, Naming] = {}
        stem = column.joined
        after: tuple[str, ...] = ()
        for word in sorted(KEY_WORDS, key=len, reverse=True):
            if stem.endswith(word) and len(stem) - len(word) >= SHORTEST_MATCH:
                stem, after = stem[: -len(word)], (word,)
                break
        for start in range(len(stem) - SHORTEST_MATCH + 1):
            for table, share in self._runs.get(stem[start:], {}).items():
                namings.setdefault(
                    table,
                    Naming(
                        share,
                        1 - start / len(stem),
                        (stem[:start],) if start else (),
                        after,
                        (stem[start:], table) in self._heads,
                    ),
                )
        if not namings and len(stem) >= SHORTEST_MATCH and after:
            for table, joined in self._joined.items():
                if joined.startswith(stem):
                    namings[table] = Naming(len(stem) / len(joined), 1.0, (), after)
        return namings

    def _possible_keys(self, table: Table) -> list[ColumnName]:
        columns = self._words.columns[table.name]
        if table.primary_key:
            return [
                column
                for column in columns
                if column.column.name in table.primary_key or set(column.words) <= {"id", "uuid", "guid"}
            ]
        own = set(self._words.tables[table.name])
        named = [
            column
            for column in columns
            if column.words in (("id",), ("code",)) or (own.issuperset(column.content) and column.content)
        ]
        return named or columns[:1]

    def _equal_names(self, column: ColumnName) -> Iterator[ColumnName]:
        if not column.words:
            return
        if set(column.words) <= GENERIC:
            keys = [other for other in self._by_name[column.joined] if other.is_primary]
            if len(keys) <= MOST_GENERIC_KEYS and not column.is_primary:
                yield from keys
            return
        group = [other for other in self._by_name[column.joined] if other.table is not column.table]
        keys = [other for other in group if other.column.name in other.table.primary_key]
        if len(keys) > LARGEST_GROUP:
            keys = [other for other in keys if other.is_primary]
        yield from keys[:LARGEST_GROUP]
        if len(group) < LARGEST_GROUP:
            yield from group
