"""What is measured: shapes of the paper's data sets.

The sizes are node counts of graphs drawn at random from the real sets.
"""

# heads, nodes, head size: Cora, Cora, Actor, Squirrel, Pubmed.
ATTENTION = [
    (1, 2708, 128),
    (8, 2708, 16),
    (1, 7600, 128),
    (8, 5201, 64),
    (1, 19717, 128),
]

# fmt: off
NCI1_SIZES = [
    26, 40, 22, 61, 48, 19, 33, 40, 31, 35, 13, 24, 18, 23, 44, 42,
    21, 28, 34, 35, 25, 8, 33, 20, 29, 23, 42, 19, 59, 21, 24, 24,
    33, 20, 21, 38, 78, 37, 13, 20, 53, 82, 24, 31, 19, 47, 52, 23,
    24, 28, 28, 26, 24, 36, 15, 18, 25, 19, 51, 40, 37, 26, 19, 15,
    34, 24, 40, 23, 22, 30, 26, 28, 43, 16, 17, 26, 26, 44, 20, 23,
    57, 45, 22, 25, 23, 29, 38, 31, 37, 29, 33, 32, 19, 49, 26, 28,
    21, 21, 30, 23, 27, 38, 32, 11, 14, 34, 20, 27, 14, 11, 38, 16,
    15, 17, 19, 26, 40, 22, 26, 28, 19, 24, 24, 24, 31, 33, 42, 25,
]

COLLAB_SIZES = [
    63, 52, 70, 61, 99, 77, 35, 47, 244, 51, 47, 46, 50, 101, 47, 33,
    65, 49, 90, 306, 46, 34, 32, 41, 202, 118, 297, 39, 47, 239, 51, 37,
]
# fmt: on

# heads, head size, sizes of the graphs of a batch.
BATCHES = {
    "128 graphs of NCI1": (4, 32, NCI1_SIZES),
    "32 graphs of COLLAB": (4, 32, COLLAB_SIZES),
}

# heads, nodes, head size: Cora, Actor.
PRECISION = [(1, 2708, 128), (1, 7600, 128)]

# graphs, nodes of each: about the same number of pairs.
CROSSING = [(64, 128), (16, 256), (7, 384), (4, 512), (2, 768), (1, 1024)]

GROWTH = [1024, 2048, 4096, 8192, 16384, 32768]

# nodes, undirected edges, features: Squirrel, Pubmed, Cora.
SPARSE = {
    "Squirrel": (5201, 198353, 128),
    "Pubmed": (19717, 44324, 128),
    "Cora": (2708, 5278, 128),
}
