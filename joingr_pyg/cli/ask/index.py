"""``joingr index SOURCE -o FOLDER``: read and embed a schema once, for ``joingr ask FOLDER``."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from joingr_pyg.cli.ask.arguments import add_source, quiet_logs
from joingr_pyg.cli.ask.source import open_retriever


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_source(parser, indexed=False)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER", help="folder of the index")


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence.
    """
    quiet_logs()
    retriever = open_retriever(arguments)
    retriever.save(arguments.output)
    tables = sum(len(database.tables) for database in retriever.databases)
    joins = sum(len(database.joins) for database in retriever.databases)
    print(f"{tables:,} tables and {joins:,} joins are indexed in {arguments.output}.")
    print(f'Ask them: joingr ask {arguments.output} "your question"')
