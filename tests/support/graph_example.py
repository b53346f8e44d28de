"""Small graphs for tests of modules."""

import dgl
import torch


def random_graph(num_nodes, num_edges, seed):
    """A graph with edges drawn at random, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    ends = torch.randint(num_nodes, (2, num_edges), generator=generator)
    return dgl.graph((ends[0], ends[1]), num_nodes=num_nodes)
