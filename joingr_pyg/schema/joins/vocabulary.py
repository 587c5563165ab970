"""Words that say something wherever they stand in the name of a column or table."""

NUMBERS = frozenset(["code", "nbr", "no", "nr", "num", "number"])
"""Key words of keys that people give; such a column does not refer to a key that the database gives."""

KEY_WORDS = frozenset(
    [
        "code",
        "fk",
        "foreign",
        "guid",
        "id",
        "identifier",
        "ident",
        "key",
        "nbr",
        "no",
        "nr",
        "num",
        "number",
        "oid",
        "pk",
        "primary",
        "rowid",
        "sid",
        "sk",
        "surrogate",
        "uid",
        "uri",
        "uuid",
    ]
)
"""Words that say that a column identifies something, not what."""

GENERIC = frozenset(
    [
        *KEY_WORDS,
        "date",
        "day",
        "description",
        "month",
        "name",
        "rank",
        "record",
        "ref",
        "status",
        "title",
        "type",
        "value",
        "year",
    ]
)
"""Words of columns that many tables have; alone they do not name what a column refers to."""

CONTACT = frozenset(
    ["cell", "email", "fax", "ip", "mail", "mobile", "phone", "postal", "postcode", "tel", "telephone", "url", "zip"]
)
"""Words of numbers, codes and addresses at which people are reached; they identify nothing in the schema."""

AMOUNTS = frozenset(["amount", "count", "number", "num", "sum", "total"])
"""Words at the beginning of a column's name that say how many there are of what follows."""

POSITIONS = frozenset(["idx", "index", "indx", "ordinal", "seq", "sequence"])
"""Words at the end of a column's name that say that it counts the places of something: a ``column_idx`` is no index."""

WITHIN = frozenset(
    ["ancestor", "next", "original", "parent", "predecessor", "prev", "previous", "prior", "root", "successor"]
)
"""Words at the beginning of a column's name that lead to another row of its own table."""

LINKING = frozenset(["belong", "fk", "in", "link", "linked", "of", "refer", "the", "to"])
"""Words at the beginning of a column's name that say no more than that it refers to something."""

PERSON_ROLES = frozenset(
    [
        "adviser",
        "advisor",
        "agent",
        "approver",
        "assignee",
        "assigner",
        "author",
        "booker",
        "buyer",
        "creator",
        "editor",
        "holder",
        "instructor",
        "lecturer",
        "manager",
        "modifier",
        "operator",
        "owner",
        "president",
        "professor",
        "recipient",
        "rep",
        "reporter",
        "representative",
        "requester",
        "requestor",
        "reviewer",
        "secretary",
        "seller",
        "sender",
        "submitter",
        "supervisor",
        "teacher",
        "updater",
        "uploader",
        "writer",
        "winner",
        "leader",
        "boss",
        "chairman",
        "chair",
        "coordinator",
        "inviter",
        "mentor",
    ]
)
"""Roles of people that columns are named after."""

TEACHERS = frozenset(["adviser", "advisor", "faculty", "instructor", "lecturer", "professor", "teacher"])
"""Roles of people who teach, and tables of them."""

PEOPLE = [
    "user",
    "appuser",
    "person",
    "employee",
    "staff",
    "member",
    "student",
    "faculty",
    "party",
    "individual",
]
"""Words of tables of people, those that most other tables refer to first."""

KINDS_OF_TABLE = frozenset(
    [
        "base",
        "dim",
        "dimension",
        "entity",
        "fact",
        "info",
        "information",
        "lookup",
        "master",
        "main",
        "record",
        "ref",
        "reference",
        "table",
        "tbl",
    ]
)
"""Words of a table's name that say what kind of table it is, not what it holds."""

IRREGULAR = {"children": "child", "men": "man", "people": "person", "women": "woman"}
"""Plurals that are not made by an ending."""
