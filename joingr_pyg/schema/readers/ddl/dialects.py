"""Which dialect a script is written in, and what that means for its quotes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import sqlglot

from joingr_pyg.errors import JoinGRError
from joingr_pyg.schema.sql.parsing import ALIASES

TOKENS_OF = {"db2": "oracle"}
"""Dialects that sqlglot does not know, and one that splits into the same tokens."""

FALLBACK = "sqlite"
"""The dialect of a script that shows no sign of any; it takes all kinds of quotes for names but the single one."""


@dataclass(frozen=True)
class Quoting:
    """How a dialect quotes and comments.

    Args:
        backslash: Whether a backslash in a string takes the letter after it as it is.
        brackets: Whether names may stand in brackets.
        hash_comments: Whether ``#`` begins a comment.
        dollar: Whether strings may stand between ``$tag$``.
        q_quotes: Whether strings may be written ``q'[…]'``.
        conditional_comments: Whether ``/*!40101 … */`` is code.
        delimiter: What ends a statement until the script says otherwise.
        body_end: What ends the body of a procedure: its last ``END``, a line ``GO``, or a line ``/``.
    """

    backslash: bool = False
    brackets: bool = False
    hash_comments: bool = False
    dollar: bool = False
    q_quotes: bool = False
    conditional_comments: bool = False
    delimiter: str = ";"
    body_end: Literal["end", "go", "slash"] = "end"


QUOTING = {
    "mysql": Quoting(backslash=True, hash_comments=True, conditional_comments=True),
    "singlestore": Quoting(backslash=True, hash_comments=True, conditional_comments=True),
    "doris": Quoting(backslash=True, conditional_comments=True),
    "starrocks": Quoting(backslash=True, conditional_comments=True),
    "bigquery": Quoting(backslash=True, hash_comments=True),
    "hive": Quoting(backslash=True),
    "spark": Quoting(backslash=True),
    "spark2": Quoting(backslash=True),
    "databricks": Quoting(backslash=True, dollar=True),
    "clickhouse": Quoting(backslash=True, dollar=True),
    "snowflake": Quoting(backslash=True, dollar=True),
    "postgres": Quoting(dollar=True),
    "redshift": Quoting(dollar=True),
    "duckdb": Quoting(dollar=True),
    "materialize": Quoting(dollar=True),
    "risingwave": Quoting(dollar=True),
    "tsql": Quoting(brackets=True, body_end="go"),
    "fabric": Quoting(brackets=True, body_end="go"),
    "sqlite": Quoting(brackets=True, dollar=True),
    "oracle": Quoting(q_quotes=True, body_end="slash"),
}

SIGNS: dict[str, list[tuple[int, str]]] = {
    "mysql": [
        (9, r"^-- (?:MySQL|MariaDB) dump|^-- phpMyAdmin|^-- Host: .*Database: "),
        (5, r"\bENGINE\s*=\s*(?:InnoDB|MyISAM|MEMORY|Aria|ARCHIVE|ndbcluster)\b|\bCHARSET\s*=|/\*M?!\d{5}"),
        (4, r"\bAUTO_INCREMENT\b"),
        (4, r"^DELIMITER\b|^(?:UN)?LOCK TABLES\b"),
        (3, r"\b(?:INT|BIGINT|SMALLINT)(?:\(\d+\))? UNSIGNED\b|\b(?:TINY|MEDIUM)INT\("),
        (3, r"\b(?:FULLTEXT|SPATIAL) (?:KEY|INDEX)\b|\bUNIQUE KEY\b|,\s*KEY `|\bON UPDATE CURRENT_TIMESTAMP\b"),
        (2, r"\b(?:MEDIUM|LONG|TINY)(?:TEXT|BLOB|INT)\b|\bENUM\s*\(\s*'|/\*!|[(,]\s*KEY\s+\w+\s*\("),
        (3, r"`\w+`"),
    ],
    "postgres": [
        (9, r"^-- PostgreSQL database (?:cluster )?dump"),
        (5, r"\bALTER TABLE (?:IF EXISTS )?ONLY\b|\bCOPY [^;]+ FROM stdin|\bOWNER TO\b|\bSET search_path\b"),
        (4, r"\bnextval\s*\(|\bCREATE EXTENSION\b|\bLANGUAGE '?plpgsql\b|\bATTACH PARTITION\b|\bINHERITS\s*\("),
        (3, r"::\s*\"?[a-z]|\b(?:big|small)?serial\b|\b(?:jsonb|bytea|timestamptz|tsvector|int[248])\b|\$\$"),
        (2, r"\bcharacter varying\b|\bUSING (?:btree|gin|gist)\b|\bwith(?:out)? time zone\b|\bPARTITION OF\b"),
        (1, r"\bcreate type\b[^;]*\bas enum\b|\btext\[\]|\binteger\[\]|\bCOMMENT ON\b|\buuid\b|\bADD COLUMN\b"),
    ],
    "tsql": [
        (6, r"^[ \t]*GO[ \t]*;?[ \t]*$"),
        (5, r"\[dbo\]\.|\bsp_addextendedproperty\b|\bSET (?:ANSI_NULLS|QUOTED_IDENTIFIER|IDENTITY_INSERT)\b"),
        (4, r"\bWITH (?:NO)?CHECK ADD\b|\bIDENTITY\s*\(\s*-?\d+\s*,\s*\d+\s*\)|\b(?:NON)?CLUSTERED\b|\bROWGUIDCOL\b"),
        (3, r"\b(?:uniqueidentifier|datetimeoffset|smalldatetime|hierarchyid|datetime2)\b|\bON \[PRIMARY\]"),
        (2, r"\b(?:nvarchar|ntext|varbinary|varchar)\s*\(\s*max\s*\)|\bnvarchar\b|\bGETDATE\s*\(|\bsys\.\w+"),
        (2, r"\[\w+\](?:\.\[\w+\]|\s+\[?\w+\]?[\s(,])"),
        (1, r"\bN'|\bdatetime\b|\bmoney\b|\bdbo\."),
    ],
    "oracle": [
        (5, r"\bVARCHAR2\s*\(|\bSEGMENT CREATION\b|\b(?:NON)?EDITIONABLE\b|\bPCTFREE \d+ PCTUSED\b|\bUSING INDEX\b"),
        (4, r"^[ \t]*/[ \t]*$|\bUSER_DEFINED_TYPE\b|\bFROM DUAL\b|\bSYSDATE\b|\bENABLE VALIDATE\b"),
        (3, r"\bNVARCHAR2\b|\bNUMBER\s*\(\s*(?:\*|\d+)|\bNUMBER\b|\bORGANIZATION (?:INDEX|HEAP)\b|\bRAW\s*\("),
        (2, r"\b[BN]?CLOB\b|\bCHAR\)|\bBYTE\)|\bCASCADE CONSTRAINTS\b|:NEW\.|^(?:PROMPT|REM|SPOOL|SET DEFINE)\b"),
        (1, r"\bINITRANS\b|\bNOCACHE\b|\bTABLESPACE\b|\bENABLE\b"),
    ],
    "snowflake": [
        (5, r"\bCREATE (?:OR REPLACE )?TRANSIENT TABLE\b|\bTIMESTAMP_(?:NTZ|LTZ|TZ)\b|\bNUMBER\(38,\s*0\)|\bVARIANT\b"),
        (4, r"\b(?:USE|CREATE) (?:WAREHOUSE|ROLE)\b|\bCOPY GRANTS\b|\bMASKING POLICY\b|\bFILE FORMAT\b|\bPARSE_JSON\b"),
        (4, r"\bVARCHAR\(16777216\)|\bCREATE OR REPLACE (?:HYBRID|DYNAMIC|ICEBERG|TRANSIENT|TEMPORARY) TABLE\b"),
        (2, r"\bCREATE OR REPLACE TABLE\b|\bAUTOINCREMENT\s+START\b|\bCLUSTER BY\s*\(|\b(?:OBJECT|ARRAY) *[,)]"),
        (1, r"\bautoincrement\b|\bCOMMENT\s*=?\s*'"),
    ],
    "bigquery": [
        (5, r"\b(?:INT64|FLOAT64|BIGNUMERIC)\b|\bOPTIONS\s*\(|\bNOT ENFORCED\b"),
        # A column may have a dot in its name; only of tables are whole paths in one pair of quotes.
        (4, r"\b(?:TABLE|EXISTS|VIEW|REFERENCES|FROM) `[\w-]+\.[\w-]+(?:\.[\w-]+)?`"),
        (4, r"\bSTRUCT<\s*\w+ \w+|\bARRAY<STRUCT<"),
        (2, r"\bSTRING\s*\(\d+\)|\bPARTITION BY (?:DATE|TIMESTAMP_TRUNC|RANGE_BUCKET)\b"),
    ],
    "databricks": [
        (6, r"\bUSING DELTA\b|\bdelta\.\w+|\bZORDER BY\b|\bCREATE OR REFRESH\b|\bLIVE TABLE\b"),
        (3, r"\bUSING (?:PARQUET|ICEBERG|CSV|JSON)\b|\bGENERATED (?:ALWAYS|BY DEFAULT) AS IDENTITY\b.*DELTA"),
        (2, r"\bSTRUCT<\w+\s*:|\b(?:CREATE|USE) CATALOG\b|\bCLUSTER BY AUTO\b"),
        (1, r"\bSTRING\b|\bTBLPROPERTIES\b"),
    ],
    "hive": [
        (6, r"\bROW FORMAT (?:SERDE|DELIMITED)\b|\bSTORED (?:AS|BY)\b|\bSERDEPROPERTIES\b|\bINTO \d+ BUCKETS\b"),
        (4, r"\bCREATE EXTERNAL TABLE\b|\bPARTITIONED BY\s*\(|\bLOCATION\s+'(?:hdfs|s3a?|/)|\bDISABLE NOVALIDATE\b"),
        (2, r"\bTBLPROPERTIES\b|\b(?:struct|map|array|uniontype)<|\$\{(?:hiveconf|hivevar)?:?\w+\}"),
        (1, r"\bSTRING\b"),
    ],
    "clickhouse": [
        (6, r"\bENGINE\s*=?\s*\w*(?:MergeTree|Distributed|Kafka|Log|Memory|Null|Buffer|Dictionary)\b"),
        (5, r"\b(?:Nullable|LowCardinality|FixedString|DateTime64|SimpleAggregateFunction|AggregateFunction)\s*\("),
        (4, r"(?-i:\b(?:UInt(?:8|16|32|64)|Int(?:8|16|32|64)|Float(?:32|64))\b)|\bON CLUSTER\b|\bCODEC\s*\("),
        (2, r"(?-i:\bString\b|\bDateTime\b)|\bENGINE\s*="),
    ],
    "db2": [
        (6, r"--#SET TERMINATOR\b|\bdb2look\b|\bORGANIZE BY ROW\b|\bCONNECT RESET\b|\bFOR BIT DATA\b"),
        (
            4,
            r"\bSET (?:CURRENT )?(?:SCHEMA|PATH|SQLID)\b|\bDATA CAPTURE\b|\bIN \"?USERSPACE|\bSYSIBM\b|\bVARGRAPHIC\b",
        ),
        (3, r"\bREFERENCING (?:NEW|OLD) AS\b|\bCODEUNITS\w+\b|\bNOT LOGGED\b|\bWITH DEFAULT\b|\bMODE DB2SQL\b"),
        (2, r"\bNOT NULL GENERATED (?:ALWAYS|BY DEFAULT) AS IDENTITY\b|\bFETCH FIRST\b"),
    ],
    "redshift": [
        (6, r"\b(?:DISTKEY|SORTKEY|DISTSTYLE)\b"),
        (5, r"\bENCODE (?:zstd|lzo|az64|raw|bytedict|delta|runlength|mostly\w+)\b|\bCREATE EXTERNAL SCHEMA\b"),
        (2, r"\bSUPER\b"),
    ],
    "duckdb": [
        (5, r"\b(?:HUGEINT|UHUGEINT|UBIGINT|USMALLINT|UTINYINT|UINTEGER)\b|\bread_(?:parquet|csv)\w*\("),
        (4, r"\bSTRUCT\s*\(|\bMAP\s*\(|\bUNION\s*\(\w+ \w+|\bVARCHAR\[\]|\bCREATE MACRO\b"),
        (1, r"\b(?:VARCHAR|BLOB|DOUBLE)\b"),
    ],
    "sqlite": [
        (
            5,
            r"\bPRAGMA\b|\bWITHOUT ROWID\b|\bsqlite_sequence\b|\)\s*STRICT\b|\bUSING fts\d\b"
            r"|\bON CONFLICT (?:REPLACE|IGNORE|FAIL|ABORT)\b",
        ),
        (4, r"\bINTEGER (?:NOT NULL )?PRIMARY KEY(?: AUTOINCREMENT)?\b|\bPRIMARY KEY AUTOINCREMENT\b"),
        (5, r"\] INTEGER\b"),
        (1, r"\[\w+\]|\bREAL\b"),
    ],
    "teradata": [
        (6, r"\bCREATE (?:MULTISET|SET|VOLATILE)\b[^;(]*\bTABLE\b|\bPRIMARY INDEX\b|\bNO FALLBACK\b|\bCASESPECIFIC\b"),
    ],
}
"""Per dialect, what gives it away and how strongly, among the common ones."""

RELATED = [
    {"postgres", "redshift", "duckdb", "materialize", "risingwave"},
    {"mysql", "singlestore", "doris", "starrocks"},
    {"hive", "spark", "spark2", "databricks", "athena", "presto", "trino"},
    {"tsql", "fabric"},
    {"oracle", "db2", "exasol"},
]
"""Dialects that are close enough for scripts of one to be read as another."""

LOOKED_AT = 100_000
"""Letters of each script that are searched for signs."""

OCCURRENCES = 3
"""Occurrences of a sign that count, of the weakest one; more say nothing new."""

NAMES_IN = {
    r"`\w[^`\n]*`": {"mysql", "bigquery", "databricks", "hive", "clickhouse", "sqlite"},
    r"[(\s.,]\[[a-z_][^\]\n]*\](?=[\s.,(])": {"tsql", "sqlite"},
}
"""Quotes of names, and the only dialects that know them."""

LIKELY = 3
"""Score from which a dialect is chosen rather than the fallback."""

CERTAIN = 6
"""Score from which a script is held to be in a dialect even against what the user gave."""


def dialect_named(name: str) -> str:
    """The dialect that a name means.

    Raises:
        JoinGRError: If there is no such dialect.
    """
    if not isinstance(name, str):
        raise JoinGRError(f"'dialect' needs to be the name of an SQL dialect (got {name!r}).")
    dialect = ALIASES.get(name.strip().lower(), name.strip().lower())
    if dialect not in TOKENS_OF and dialect not in sqlglot.Dialect.classes:
        names = sorted({*SIGNS, *ALIASES})
        raise JoinGRError(f"There is no SQL dialect {name!r}: give one of {', '.join(names)}, or none at all.")
    return dialect


def recognise(texts: Iterable[str]) -> tuple[str | None, dict[str, int]]:
    """The dialect that scripts of one database are written in.

    Args:
        texts: The beginnings of the scripts.

    Returns:
        The dialect, or ``None`` where nothing gives it away, and the score of each dialect.
    """
    scores = dict.fromkeys(SIGNS, 0)
    for text in texts:
        bare = _without_strings(text[:LOOKED_AT])
        for dialect, signs in SIGNS.items():
            for weight, pattern in signs:
                scores[dialect] += weight * _occurrences(pattern, bare, OCCURRENCES if weight > 1 else 1)
        for pattern, dialects in NAMES_IN.items():
            if _occurrences(pattern, bare, 1):
                scores.update({dialect: -CERTAIN for dialect in scores if dialect not in dialects})
    best = max(scores, key=scores.__getitem__)
    return (best if scores[best] >= LIKELY else None), scores


def contradicts(given: str, recognised: str, scores: dict[str, int]) -> bool:
    """Whether scripts are clearly in another dialect than was given."""
    if given == recognised or given not in scores or any({given, recognised} <= family for family in RELATED):
        return False
    return scores[recognised] >= CERTAIN and scores[given] * 3 <= scores[recognised]


def quoting_of(dialect: str, texts: Sequence[str] = ()) -> Quoting:
    """How a dialect quotes; standard SQL where nothing special is known of it.

    Args:
        dialect: The dialect.
        texts: The beginnings of the scripts: where no line ``GO`` is, none can be what ends a body.
    """
    quoting = QUOTING.get(dialect, Quoting())
    if quoting.body_end == "go" and not any(
        re.search(r"^[ \t]*GO[ \t]*;?[ \t]*$", text, re.I | re.M) for text in texts
    ):
        return replace(quoting, body_end="end")
    if dialect == "db2" and any(AT_SIGNS.search(text) and "SET TERMINATOR" not in text for text in texts):
        return replace(quoting, delimiter="@")
    return quoting


AT_SIGNS = re.compile(r"(?:\)|\bEND)\s*@[ \t]*$", re.MULTILINE | re.IGNORECASE)
"""Ends of statements in scripts for DB2 whose delimiter is given when they are run."""

_STRING = re.compile(r"""(--[^\n]*|"[^"\n]*"|`[^`\n]*`|\[[^\]\n]*\])|'(?:[^'\\\n]|''|\\.)*'""")


def _without_strings(text: str) -> str:
    """The text with its strings emptied, since they say nothing of the dialect."""
    return _STRING.sub(lambda match: match[1] or "''", text)


def _occurrences(pattern: str, text: str, most: int) -> int:
    matches = re.compile(pattern, re.MULTILINE | re.IGNORECASE).finditer(text)
    return sum(1 for _ in zip(range(most), matches, strict=False))
