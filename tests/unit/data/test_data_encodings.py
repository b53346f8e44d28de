"""Encodings of structure that are added to the features."""

from dataclasses import replace

import dgl
import numpy as np
import pytest
import scipy.sparse as sp
from flat_example import connected, flat_of, run

from dgl_signgt.data.cliques import clique_encoding
from dgl_signgt.errors import DataError


def test_random_walk_equals_dgl():
    graph, flat = connected(40)
    out = run(flat, {"random-walk-pe": {"size": 5}})
    assert out.in_size == 7
    wanted = dgl.random_walk_pe(graph, 5)
    assert np.allclose(out.feat[:, 2:], wanted, atol=1e-5)


@pytest.mark.parametrize("name", ["random-walk-pe", "laplacian-pe"])
def test_encodings_see_the_edges_of_signgt(name):
    """Both directions of an edge that is given once, and it once."""
    plain = run(flat_of(), "undirected", {name: {"size": 3}})
    given_once = run(flat_of(), {name: {"size": 3}})
    assert plain.feat[:, 2:].any()
    assert np.array_equal(plain.feat, given_once.feat)
    twice = flat_of(
        edge_counts=np.array([4, 1]),
        src=np.array([0, 1, 0, 0, 0], np.int32),
        dst=np.array([1, 2, 1, 1, 1], np.int32),
        edge_feat=None,
    )
    twice = run(twice, {name: {"size": 3}})
    assert np.array_equal(plain.feat, twice.feat)


@pytest.mark.parametrize("sparse", [False, True])
def test_adjacency_rows_tell_the_neighbours(sparse):
    # 1 and 2 have the same neighbours, 0 and 3; 4 has none.
    flat = flat_of(
        task="node",
        node_counts=np.array([5]),
        edge_counts=np.array([5]),
        src=np.array([0, 0, 3, 2, 0], np.int32),
        dst=np.array([1, 2, 1, 3, 1], np.int32),
        feat=np.ones((5, 2), np.float32),
        edge_feat=None,
    )
    if sparse:
        flat = replace(flat, feat=sp.csr_matrix(flat.feat), feat_kind="sparse")
    out = run(flat, "adjacency-pe")
    assert (out.in_size, out.feat_kind) == (7, "sparse")
    h = 0.5**0.5
    wanted = np.array(
        [
            [0, h, h, 0, 0],
            [h, 0, 0, h, 0],
            [h, 0, 0, h, 0],
            [0, h, h, 0, 0],
            [0, 0, 0, 0, 0],
        ]
    )
    assert np.allclose(out.feat.toarray()[:, 2:], wanted)
    assert np.array_equal(out.feat.toarray()[:, :2], np.ones((5, 2)))
    longer = run(flat, {"adjacency-pe": {"scale": 3}})
    assert np.allclose(longer.feat.toarray()[:, 2:], 3 * wanted)


def test_adjacency_rows_need_a_single_graph():
    with pytest.raises(DataError, match="needs a single graph; for many"):
        run(flat_of(task="graph"), "adjacency-pe")


def test_degree_in_one_of_its_columns():
    # 1 has the neighbours 0 and 2, given once each; 3 has none.
    out = run(flat_of(), {"degree-pe": {"size": 3}})
    assert out.in_size == 6
    wanted = np.eye(4)[[1, 2, 1, 0, 1, 1]]
    assert np.array_equal(out.feat[:, 2:], wanted)
    highest = run(flat_of(), {"degree-pe": {"size": 1}})
    assert np.array_equal(highest.feat[:, 2:], np.eye(2)[[1, 1, 1, 0, 1, 1]])


def test_cliques_by_their_size():
    # A triangle 0-1-2 with an edge 2-3, some of it given twice or as a loop,
    # and a lone node; then the complete graph of five.
    five = [(i, j) for i in range(5) for j in range(i)]
    ends = [(0, 1), (1, 0), (1, 2), (2, 0), (2, 3), (3, 3), *five]
    src, dst = np.array(ends, np.int32).T
    flat = flat_of(
        node_counts=np.array([5, 5]),
        edge_counts=np.array([6, 10]),
        src=src,
        dst=dst,
        feat=np.ones((10, 1), np.float32),
        edge_feat=None,
    )
    out = run(flat, {"clique-pe": {"size": 12}})
    assert out.in_size == 13
    wanted = np.zeros((10, 12))
    # floor(4 log2 n): 6 for a triangle, 4 for an edge, 0 for a node, 9.
    wanted[:3, 6] = 1 / 3
    wanted[2:4, 4] = 1 / 2
    wanted[4, 0] = 1
    wanted[5:, 9] = 1 / 5
    assert np.allclose(out.feat[:, 1:], wanted)
    # Sums over a graph are numbers of cliques; the last column has the rest.
    short = run(flat, {"clique-pe": {"size": 5}}).feat[:, 1:]
    assert np.allclose(short[:5].sum(0), [1, 0, 0, 0, 2])
    assert np.allclose(short[5:].sum(0), [0, 0, 0, 0, 1])


def test_powers_of_two_have_the_columns_of_their_doublings():
    for count, column in ((1, 0), (2, 4), (4, 8), (8, 12), (16, 16)):
        ends = [(i, j) for i in range(count) for j in range(i)]
        src, dst = np.array(ends, np.int32).reshape(-1, 2).T
        flat = flat_of(
            node_counts=np.array([count]),
            edge_counts=np.array([len(src)]),
            src=src,
            dst=dst,
            feat=np.ones((count, 1), np.float32),
            edge_feat=None,
        )
        feat = run(flat, "clique-pe").feat[:, 1:]
        assert np.allclose(feat, np.eye(36)[column] / count)


def test_cliques_do_not_depend_on_the_order_of_nodes():
    generator = np.random.default_rng(0)
    src, dst = np.triu(generator.random((40, 40)) < 0.5, 1).nonzero()

    def encode(src, dst):
        flat = flat_of(
            node_counts=np.array([40]),
            edge_counts=np.array([len(src)]),
            src=src.astype(np.int32),
            dst=dst.astype(np.int32),
            feat=np.ones((40, 1), np.float32),
            edge_feat=None,
        )
        # One column for cliques of all sizes: sums of different shares.
        return clique_encoding(flat, 1)

    first = encode(src, dst)
    for _ in range(5):
        place = generator.permutation(40)
        assert np.array_equal(encode(place[src], place[dst])[place], first)


def test_too_many_cliques_are_refused(monkeypatch):
    monkeypatch.setattr("dgl_signgt.data.cliques._MOST", 2)
    with pytest.raises(DataError, match="graph 0 has more than 2 maximal"):
        run(flat_of(), "clique-pe")


@pytest.mark.parametrize("sparse", [False, True])
def test_neighbor_sums_count_along_walks(sparse):
    flat = flat_of()
    if sparse:
        flat = replace(flat, feat=sp.csr_matrix(flat.feat), feat_kind="sparse")
    out = run(flat, {"neighbor-sums": {"hops": 2}})
    assert (out.in_size, sp.issparse(out.feat)) == (6, sparse)
    feat = out.feat.toarray() if sparse else out.feat
    x = flat_of().feat
    one = np.array([x[1], x[0] + x[2], x[1], 0 * x[3], x[5], x[4]])
    two = np.array([one[1], 2 * x[1], one[1], 0 * x[3], x[4], x[5]])
    assert feat.dtype == np.float32
    assert np.array_equal(feat[:, :2], x)
    sums = np.concatenate([one, two], axis=1)
    assert (sums < 0).any()
    wanted = np.sign(sums) * np.log(1 + abs(sums))
    assert np.allclose(feat[:, 2:], wanted)


def test_colours_are_those_of_the_weisfeiler_lehman_test():
    # A path 0-1-2 of equal nodes and a lone one; then a single edge.
    flat = flat_of(feat=np.ones((6, 2), np.float32))
    out = run(flat, {"wl-pe": {"size": 1000, "hops": 2}})
    assert (out.in_size, out.feat_kind) == (2002, "sparse")
    one, two = (
        out.feat[:, 2 + 1000 * h : 1002 + 1000 * h].toarray() for h in (0, 1)
    )
    assert np.array_equal(one.sum(1), np.ones(6))
    # After one round only the degree counts, after two the path's ends know
    # that they are none of the edge's.
    names = one.argmax(1)
    assert names[0] == names[2] == names[4] == names[5]
    assert len({names[0], names[1], names[3]}) == 3
    names = two.argmax(1)
    assert (names[0], names[4]) == (names[2], names[5])
    assert len({names[0], names[1], names[3], names[4]}) == 4
    # Other features, other colours, also when only their place differs.
    for row in ([2, 1], [1, 0], [0, 1]):
        feat = np.ones((6, 2), np.float32)
        feat[0] = row
        other = run(flat_of(feat=feat), {"wl-pe": {"size": 1000, "hops": 1}})
        other = other.feat[:, 2:].toarray().argmax(1)
        assert other[0] not in one.argmax(1)
        assert other[0] != other[2]


@pytest.mark.parametrize("sparse", [False, True])
def test_colours_do_not_depend_on_order_or_the_rest_of_the_data(sparse):
    _, flat = connected(30)
    feat = np.random.default_rng(0).integers(2, size=(30, 2))
    flat = replace(flat, feat=feat.astype(np.float32))
    step = {"wl-pe": {"size": 64, "hops": 3}}
    wanted = run(flat, step).feat.toarray()[:, 2:]
    order = np.random.default_rng(1).permutation(30)
    place = np.argsort(order).astype(np.int32)
    moved = replace(
        flat, src=place[flat.src], dst=place[flat.dst], feat=flat.feat[order]
    )
    if sparse:
        moved = replace(
            moved, feat=sp.csr_matrix(moved.feat), feat_kind="sparse"
        )
    before = moved.feat.copy()
    found = run(moved, step).feat.toarray()[:, 2:]
    assert np.array_equal(found, wanted[order])
    if sparse:
        # An entry that is stored but zero counts as none, and stays.
        moved.feat.data[0] = 0
        stored = moved.feat.nnz
        run(moved, step)
        assert (moved.feat != before).nnz == 1
        assert moved.feat.nnz == stored
    beside = replace(
        flat,
        node_counts=np.array([2, 30]),
        edge_counts=np.array([1, len(flat.src)]),
        src=np.r_[np.int32(0), flat.src],
        dst=np.r_[np.int32(1), flat.dst],
        feat=np.r_[np.full((2, 2), 7, np.float32), flat.feat],
    )
    found = run(beside, step).feat.toarray()[2:, 2:]
    assert np.array_equal(found, wanted)


def test_colours_stay_the_same_in_every_version():
    """A trained model depends on them."""
    out = run(flat_of(), {"wl-pe": {"size": 1000, "hops": 2}})
    places = np.stack([np.nonzero(row)[0] for row in out.feat.toarray()[:, 2:]])
    assert places.tolist() == [
        [756, 1669],
        [454, 1848],
        [778, 1380],
        [898, 1471],
        [648, 1390],
        [256, 1169],
    ]


def test_edge_sums():
    out = run(flat_of(), "undirected", "edge-sums")
    assert out.in_size == 3
    assert out.feat[:, 2].tolist() == [1, 3, 2, 0, 3, 3]
    entering = run(flat_of(), "edge-sums")
    assert entering.feat[:, 2].tolist() == [0, 1, 2, 0, 0, 3]
    with pytest.raises(DataError, match="features of edges, of which"):
        run(flat_of(edge_feat=None), "edge-sums")


@pytest.mark.parametrize("num_nodes", [12, 30, 1200])
def test_laplacian_equals_dgl_up_to_sign(num_nodes):
    graph, flat = connected(num_nodes)
    out = run(flat, {"laplacian-pe": {"size": 6}}).feat[:, 2:]
    if num_nodes < 100:
        wanted = dgl.lap_pe(graph, 6, padding=True).numpy()
        assert np.allclose(np.abs(out), np.abs(wanted), atol=1e-4)
    # Eigenvectors of the normalised adjacency, and the same every time.
    degree = graph.in_degrees().numpy()
    matrix = graph.adj_external(scipy_fmt="csr").toarray()
    matrix = matrix / np.sqrt(np.outer(degree, degree))
    for vector in out.T:
        value = vector @ matrix @ vector
        assert np.allclose(matrix @ vector, value * vector, atol=1e-3)
        assert vector[np.abs(vector).argmax()] > 0
    again = run(flat, {"laplacian-pe": {"size": 6}}).feat[:, 2:]
    assert np.array_equal(out, again)


def test_laplacian_of_a_small_graph_is_filled_up():
    flat = run(flat_of(), "undirected")
    out = run(flat, {"laplacian-pe": {"size": 4}}).feat[:, 2:]
    assert np.allclose(out[4:, 0] ** 2, 0.5)
    assert not out[4:, 1:].any()
    assert not out[:4, 3:].any()


def test_encodings_of_several_graphs_do_not_mix():
    flat = run(flat_of(), "undirected")
    out = run(
        flat, {"laplacian-pe": {"size": 2}}, {"random-walk-pe": {"size": 2}}
    )
    single = flat_of(
        node_counts=np.array([2]),
        edge_counts=np.array([2]),
        src=np.array([0, 1], np.int32),
        dst=np.array([1, 0], np.int32),
        feat=flat.feat[4:],
        edge_feat=None,
    )
    alone = run(
        single, {"laplacian-pe": {"size": 2}}, {"random-walk-pe": {"size": 2}}
    )
    assert np.allclose(out.feat[4:], alone.feat)
