"""What is known of a table under a question, number by number: both paths of the model speak of it by these names."""

from enum import IntEnum


class Signal(IntEnum):
    """A number that each table has under a question; its value is its row where all of them lie in one array."""

    SIMILARITY = 0
    """Cosine of the question and the table's best column."""
    TABLE_SIMILARITY = 1
    """Cosine of the question and the table's own text."""
    WORDS = 2
    """Word matches, of the order of cosines."""
    VOTES = 3
    """Votes of remembered questions."""
    PHRASE = 4
    """How surely one of the question's phrases points at the table."""
    PHRASE_WITHIN = 5
    """How surely one of them does, where only the tables of its database are to choose from."""
    PHRASE_SHARE = 6
    """Which share of the phrases points at it, again within its database."""
    NAMED = 7
    """How much of the table's name the question says."""
    COVERED = 8
    """How much of the question's words the table holds."""
    PRIOR = 9
    """How likely the question needs the table, before any walk."""
    WALKED = 10
    """Logarithm of what the walk left."""
    SCORE = 11
    """What walk and prior say together."""
    SHARE = 12
    """How much of all belief is in the table's database."""
    ALL_NAMED = 13
    """Whether all of its name is said, 1 or 0."""
