"""A picture of the walk of one question: anchors, the joins it took, and where its deposits lie."""

from collections.abc import Collection
from math import pi
from textwrap import fill

import networkx as nx
import torch
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from joingr_pyg.data.queries import Queries
from joingr_pyg.models import TrainableRetriever
from joingr_pyg.schema import TableName

GOLD, OTHER, EDGE = "#f28e2b", "#c9d3df", "#4e79a7"


@torch.no_grad()
def draw_walk(model: TrainableRetriever, query: Queries, gold: Collection[TableName] = (), most: int = 16) -> Figure:
    """Draw the walk of one question, as in the paper's Figure 1.

    Args:
        model: The model, bound to its corpus.
        query: The question, with its text for the title.
        gold: Gold tables, drawn in orange.
        most: Tables drawn, the best by score; gold tables are drawn always.

    Returns:
        The figure: node area is a table's score from the walk, its number the place it is ranked at; edge width is
        a join's deposit, and a ring marks an anchor.
    """
    corpus = model.corpus
    model.eval()
    (question,) = query.require_text("draw_walk")
    evidence = model.evidence(query)
    output = model(query.vector, evidence)
    scores = output.node_scores()[0]
    deposits = output.edge_deposits()[0]
    gold_numbers = {corpus.table_number[name] for name in gold}
    ranked = model.ranking(model.scores(output, evidence), evidence, corpus.num_tables).table[0].tolist()
    drawn = {table for table in ranked[:most] if scores[table] > 0} | gold_numbers
    anchors = set(model.seeds(evidence)[0][0].tolist())

    graph = nx.Graph()
    graph.add_nodes_from(sorted(drawn))
    for edge, (tail, head) in enumerate(corpus.edge_index.t().tolist()):
        if tail != head and tail in drawn and head in drawn and deposits[edge] > 0:
            before = graph.get_edge_data(tail, head, {"deposit": 0.0})["deposit"]
            graph.add_edge(tail, head, deposit=before + deposits[edge].item())

    figure = Figure(figsize=(11, 6.5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_title(fill(question, 90), fontsize=12, parse_math=False)
    place = _layout(graph)
    widths = [data["deposit"] for _, _, data in graph.edges(data=True)]
    widest = max(widths, default=1.0)
    nx.draw_networkx_edges(
        graph, place, ax=axes, edge_color=EDGE, width=[0.4 + 7 * width / widest for width in widths], alpha=0.7
    )
    largest = max(float(scores.max()), 1e-9)
    area = {table: 200 + 1800 * float(scores[table]) / largest for table in graph}
    nx.draw_networkx_nodes(
        graph,
        place,
        ax=axes,
        node_size=list(area.values()),
        node_color=[GOLD if table in gold_numbers else OTHER for table in graph],
        edgecolors=["black" if table in anchors else "white" for table in graph],
        linewidths=[2.2 if table in anchors else 1.0 for table in graph],
    )
    rank = {table: f"{number}. " for number, table in enumerate(ranked, 1)}
    for table in graph:
        axes.annotate(
            rank.get(table, "") + corpus.tables[table][1],
            place[table],
            (0, -3 - (area[table] / pi) ** 0.5),  # Below the node, which a name would hide.
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=8.5,
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75},
            parse_math=False,
        )
    axes.legend(
        handles=[
            Line2D([], [], marker="o", ls="", ms=11, mfc=OTHER, mec="black", mew=2, label="anchor"),
            Line2D([], [], marker="o", ls="", ms=11, mfc=GOLD, mec="white", label="needed by the gold SQL"),
            Line2D([], [], color=EDGE, lw=4, alpha=0.7, label="deposit on a join"),
        ],
        loc="lower right",
        frameon=False,
    )
    axes.margins(0.12)
    return figure


def _layout(graph: nx.Graph) -> dict[int, tuple[float, float]]:
    """Connected tables side by side, largest group first, each laid out by path length."""
    place: dict[int, tuple[float, float]] = {}
    left = 0.0
    for nodes in sorted(nx.connected_components(graph), key=len, reverse=True):
        part = graph.subgraph(nodes)
        if len(nodes) > 2:
            width = len(nodes) ** 0.5
            laid = {node: (x, width * y) for node, (x, y) in nx.kamada_kawai_layout(part, weight=None).items()}
        else:  # One above the other.
            width = 1.0
            laid = {node: (0.0, height) for node, height in zip(sorted(nodes), (0.8, -0.8), strict=False)}
        for node, (x, y) in laid.items():
            place[node] = (left + width * (1 + x), y)
        left += 2 * width + 0.5
    return place
