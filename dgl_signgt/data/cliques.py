"""Cliques: sets of nodes of which every two are neighbours."""

from __future__ import annotations

import math
from itertools import islice

import networkx as nx
import numpy as np

from ..errors import DataError
from .flat import FlatGraphs

__all__ = ["clique_encoding"]

# Columns for each doubling of a clique's size.
_STEPS = 4
# A graph can have more cliques than there is time to count.
_MOST = 100_000


def clique_encoding(flat: FlatGraphs, size: int) -> np.ndarray:
    """For each node, how many maximal cliques it is in, by their size.

    A graph of who worked with whom is made of cliques, one for each piece of
    work; averages over neighbours do not see how large they are.

    Parameters
    ----------
    flat : FlatGraphs
        The graphs.
    size : int
        Columns. Cliques of one node are in column 0, those of twice as many
        nodes four columns further; the last has all that are larger.

    Returns
    -------
    numpy.ndarray
        Of shape (nodes, size). A clique of n nodes counts 1/n for each, so
        that the sum over the nodes of a graph is the number of its cliques.

    Raises
    ------
    DataError
        If a graph has more than 100,000 maximal cliques. There are at least
        as many as it has edges outside of triangles, so this is for small
        graphs.
    """
    out = np.zeros((flat.num_nodes, size))
    for number, (nodes, src, dst) in enumerate(flat.each()):
        graph = nx.Graph()
        graph.add_nodes_from(range(nodes.start, nodes.stop))
        graph.add_edges_from(
            zip((src + nodes.start).tolist(), (dst + nodes.start).tolist())
        )
        graph.remove_edges_from([*nx.selfloop_edges(graph)])
        cliques = [*islice(nx.find_cliques(graph), _MOST + 1)]
        if len(cliques) > _MOST:
            raise DataError(
                f"transform 'clique-pe': graph {number} has more than "
                f"{_MOST:,} maximal cliques; leave the transform out"
            )
        # In any other order sums would differ in their last digit.
        for members in sorted(cliques, key=len):
            column = int(_STEPS * math.log2(len(members)) + 1e-9)
            out[members, min(column, size - 1)] += 1 / len(members)
    return out
