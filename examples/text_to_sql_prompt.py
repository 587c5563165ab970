"""A text-to-SQL prompt, end to end: from a schema and a question to the text that a language model gets.

Run it as ``python examples/text_to_sql_prompt.py [SCHEMA.sql] ["QUESTION"]``. It calls no model and prints the prompt.
"""

import sys
from pathlib import Path

import joingr_pyg
from joingr_pyg import RetrievalResult, TableRetriever

SCHEMA = Path(joingr_pyg.__file__).parent / "datasets/demo/mountain_rescue/schema.sql"
QUESTION = "Where have we put a Border Collie to work so far? Route name and massif please."

PROMPT = """\
Write one {dialect} query that answers the question at the end. Use no tables and columns but those below.

{ddl}

Join the tables by:
{joins}

Question: {question}
SQL:"""


def main(schema: str | Path = SCHEMA, question: str = QUESTION) -> None:
    """Print the prompt for a question about a schema file."""
    retriever = TableRetriever.from_ddl(schema)
    # As many tables as it takes to have all that are needed, in nine of ten cases.
    result = retriever.retrieve(question, k=None, complete=0.9)
    print(sql_prompt(result, "postgres"))


def sql_prompt(result: RetrievalResult, dialect: str) -> str:
    """The prompt for a question that was answered with tables."""
    joins = "\n".join(f"- {join}" for join in result.joins) or "- (no joins are known)"
    return PROMPT.format(dialect=dialect, ddl=result.to_ddl(dialect), joins=joins, question=result.question)


if __name__ == "__main__":
    main(*sys.argv[1:])
