"""``joingr compare``: any folders of runs as one sorted table, and as figures."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from joingr_pyg.cli.compare.table import as_csv, as_json, as_markdown, as_rich, sweep_table
from joingr_pyg.errors import JoinGRError, MissingPackageError
from joingr_pyg.runs.collect import Run, collect, select
from joingr_pyg.runs.comparison import show
from joingr_pyg.runs.files import write_named
from joingr_pyg.terminal import terminal_text


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add("paths", nargs="+", type=Path, metavar="FOLDER", help="folder with runs, or a file of --each --json")
    add("--sort", metavar="NAME", help="metric, best first, or parameter (default: the last metric)")
    add("--each", action="store_true", help="one line for each run, instead of mean ± standard deviation over seeds")
    add("--where", action="append", default=[], metavar="KEY=VALUE", help="only runs with this value; may be repeated")
    add("--csv", type=Path, metavar="FILE", help="write the table as CSV")
    add("--markdown", type=Path, metavar="FILE", help="write the table as Markdown")
    add("--json", type=Path, metavar="FILE", help="write the table as JSON; with --each it can be read again")
    add("--plot", type=Path, metavar="FILE", help="draw a figure: FILE.png, .pdf or .svg; with --x or --heatmap")
    add("--x", metavar="KEY", help="parameter on the horizontal axis, such as model.hops")
    add("--y", metavar="METRIC", help="metric that is drawn (default: the last one)")
    add("--line", metavar="KEY[,KEY]", help="parameters; each of their values has its own line")
    add("--heatmap", metavar="KEY,KEY", help="parameters on the vertical and the horizontal axis of a heat map")


def run(arguments: Namespace) -> None:
    """Run the command.

    Raises:
        JoinGRError: If the input is bad, in one sentence.
    """
    if (arguments.plot is None) != (arguments.x is None and arguments.heatmap is None):
        raise JoinGRError("A figure needs --plot FILE.png and either --x KEY or --heatmap KEY,KEY.")
    if arguments.x is not None and arguments.heatmap is not None:
        raise JoinGRError("--x and --heatmap draw different figures: give one of them.")
    if arguments.x is None and arguments.line is not None:
        raise JoinGRError("--line needs a figure over --x KEY: add --x KEY.")
    if arguments.plot is None and arguments.y is not None:
        raise JoinGRError("--y names the metric of a figure: add --plot FILE.png, or sort the table with --sort.")
    collection = collect(arguments.paths)
    runs = select(collection.runs, arguments.where)
    table = sweep_table(runs, arguments.sort, arguments.each)
    show(as_rich(table))
    for note in collection.notes:
        print(terminal_text(note), file=sys.stderr)
    for run in table.repeated:
        place = terminal_text(run.place)
        print(f"Not in the table: '{place}', which a newer run of the same seed repeats.", file=sys.stderr)
    for path, write in ((arguments.csv, as_csv), (arguments.markdown, as_markdown), (arguments.json, as_json)):
        if path is not None:
            write_named(path, write(table))
    if arguments.plot is not None:
        _draw(runs, arguments, table.metrics[-1] if arguments.y is None else arguments.y)


def _draw(runs: list[Run], arguments: Namespace, metric: str) -> None:
    try:
        from joingr_pyg.cli.compare.figure import draw_heatmap, draw_lines
        from joingr_pyg.plotting.files import write_figure
    except ImportError as error:
        raise MissingPackageError("Drawing figures", "matplotlib", "plot") from error
    if arguments.heatmap is None:
        lines = arguments.line.split(",") if arguments.line else []
        figure = draw_lines(runs, arguments.x, metric, lines)
    else:
        keys = arguments.heatmap.split(",")
        if len(keys) != 2:
            raise JoinGRError(
                f"--heatmap takes two parameters, such as model.anchors,model.hops (got {arguments.heatmap})."
            )
        figure = draw_heatmap(runs, keys[0], keys[1], metric)
    write_figure(arguments.plot, figure)
