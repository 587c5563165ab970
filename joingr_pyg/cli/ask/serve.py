"""``joingr serve SOURCE --mcp``: let agents ask a schema, over the Model Context Protocol."""

import sys
from argparse import ArgumentParser, Namespace

from joingr_pyg.cli.ask.arguments import add_source, patterns, quiet_logs
from joingr_pyg.cli.ask.source import open_retriever
from joingr_pyg.errors import JoinGRError, MissingPackageError


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_source(parser)
    parser.add_argument("--mcp", action="store_true", required=True, help="speak the Model Context Protocol")
    parser.add_argument(
        "--allowed",
        metavar="PATTERNS",
        help="serve as if there were no other tables, such as 'sales.*,customer*'; no client can change it",
    )
    http = parser.add_argument_group("serving over HTTP, in place of standard input and output")
    http.add_argument("--http", action="store_true", help="serve at http://HOST:PORT/mcp")
    http.add_argument("--host", metavar="HOST", help="address to listen at (default: 127.0.0.1, this machine alone)")
    http.add_argument("--port", type=int, metavar="PORT", help="port to listen at (default: 8000)")


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence.
    """
    for option in ("host", "port"):
        if getattr(arguments, option) is not None and not arguments.http:
            raise JoinGRError(f"'--{option}' has a meaning only with '--http': add it, or leave '--{option}' out.")
    try:
        from joingr_pyg.integrations.mcp_server import LOCAL, make_server, serve_http, serve_stdio
    except ModuleNotFoundError as error:
        raise MissingPackageError("joingr serve --mcp", str(error.name), "mcp") from error
    quiet_logs()
    retriever = open_retriever(arguments)
    if arguments.allowed is not None:
        retriever = retriever.restricted(patterns(arguments.allowed))
    # The encoder is loaded now rather than while the first client waits.
    retriever.retrieve("Which tables are there?", 1)
    server = make_server(retriever)
    try:
        if not arguments.http:
            serve_stdio(server)
            return
        host = arguments.host or LOCAL[0]
        if host not in LOCAL:
            print(f"Whoever reaches {host} can ask: there is no password.", file=sys.stderr)
        serve_http(server, host, 8000 if arguments.port is None else arguments.port)
    except KeyboardInterrupt:
        pass
