"""Graph kernels: each base kernel by its definition (and by GraKeL), their sum, its gradients, molecules, methods."""

import csv
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from gpbench.errors import ConfigError, DataError, MissingExtra, NotApplicable
from gpbench.gp.kernels.build import build_kernel
from gpbench.gp.kernels.gram_stack import GramStack
from gpbench.gp.kernels.graph import BASE, Graphs
from gpbench.gp.kernels.graphs.features import Features
from gpbench.gp.kernels.graphs.graph import Graph, graph_of
from gpbench.gp.kernels.graphs.library import Library, library
from tests.helpers.kernel_gradients import check_parameters, vjp_inputs
from tests.oracles import graphs as oracle

NAMES = (*BASE, "wl-0", "graphlet-3", "walk-0", "walk-1", "walk-3")


def as_inputs(graphs):
    X = np.empty(len(graphs), dtype=object)
    X[:] = graphs
    return X


@pytest.fixture(scope="module")
def molecules():
    rng = np.random.default_rng(9)
    return as_inputs([oracle.random_molecule(rng, int(n)) for n in rng.integers(1, 13, 66)])


def counted(graphs, name):
    """Gram matrix of the counts themselves, not normalised."""
    count, found = Features(name), []
    for g in graphs:
        codes, counts = count(g)
        found.append(dict(zip(codes.tolist(), counts.tolist())))
    return np.array([[sum(c * b.get(code, 0) for code, c in a.items()) for b in found] for a in found])


# -- base kernels ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_base_kernel_equals_the_double_loop_of_its_definition(molecules, name):
    graphs = molecules if "graphlet" not in name else molecules[:40]
    expected = oracle.gram(graphs, name)
    np.testing.assert_allclose(counted(graphs, name), expected, rtol=1e-10, atol=1e-10)
    featured = np.diag(expected) > 0  # a single vertex has no edges, paths or graphlets
    K = next(Library((name,)).grams_of(graphs))
    assert not K[~featured].any()
    np.testing.assert_allclose(
        K[np.ix_(featured, featured)], oracle.normalised(expected[np.ix_(featured, featured)]), atol=1e-10
    )


@pytest.mark.parametrize("centre", range(4))
def test_a_star_has_three_connected_triples_wherever_its_centre_is(centre):
    star = Graph([6] * 4, [(centre, v) for v in range(4) if v != centre], [1] * 3)
    assert counted([star], "graphlet-3").tolist() == [[9]]


def test_labelled_paths_use_ordered_pairs_of_labels():
    """C-O has (C, O) and (O, C): k = 2 with itself; C-C has (C, C) twice: k = 4. Unordered pairs would give 4 and 4."""
    CO, CC = (Graph([6, other], [[0, 1]], [1]) for other in (8, 6))
    assert counted([CO, CC], "shortest-path-labelled").tolist() == [[2, 0], [0, 4]]


@pytest.mark.parametrize("name", NAMES)
def test_numbering_the_vertices_differently_changes_nothing(molecules, rng, name):
    g = molecules[int(np.argmax([len(g) for g in molecules]))]
    order = rng.permutation(len(g))
    back = np.argsort(order)
    swapped = Graph(g.labels[order], back[g.edges][:, ::-1], g.edge_labels)
    K = counted([g, swapped], name)
    np.testing.assert_allclose(K, K[0, 0], rtol=1e-13)


def test_every_default_base_kernel_is_positive_semidefinite(molecules):
    assert len(BASE) >= 14
    for name, K in zip(BASE, Library(BASE).grams_of(molecules)):
        assert np.linalg.eigvalsh(K).min() > -1e-10, name


# -- GraKeL ---------------------------------------------------------------------------------------------------------


def grakel_graphs(graphs):
    """Each edge both ways, as GraKeL expects of an undirected graph: it counts edge labels twice."""
    import grakel

    out = []
    for g in graphs:
        both = {(int(i), int(j)): int(b) for (i, j), b in zip(g.edges, g.edge_labels)}
        both |= {(j, i): b for (i, j), b in both.items()}
        out.append(grakel.Graph(oracle.adjacency(g), dict(enumerate(g.labels.tolist())), both))
    return out


def grakel_kernel(name):
    from grakel import kernels

    kind, _, depth = name.rpartition("-")
    if kind == "wl":
        return kernels.WeisfeilerLehman(n_iter=int(depth), base_graph_kernel=kernels.VertexHistogram)
    if kind == "walk":
        return kernels.RandomWalkLabeled(p=int(depth), lamda=1.0, method_type="baseline")
    return {
        "vertex": kernels.VertexHistogram, "edge": kernels.EdgeHistogram,
        "shortest-path": lambda: kernels.ShortestPath(with_labels=False),
        "shortest-path-labelled": kernels.ShortestPath,
        "random-walk": lambda: kernels.RandomWalk(lamda=0.1, method_type="baseline"),
    }[name]()  # fmt: skip


# no such kernel there; and its graphlet counts depend on the numbering of the vertices: a star with centre 2 has two
# connected triples of vertices there, not three
NOT_GRAKELS = ("vertex-edge", "wl-0", "walk-0", "graphlet-3", "graphlet-4", "graphlet-5")


@pytest.mark.parametrize("name", [n for n in NAMES if n not in NOT_GRAKELS])
def test_a_base_kernel_equals_grakels(molecules, name):
    pytest.importorskip("grakel", reason="GraKeL, a second opinion on graph kernels, is not installed")
    graphs = [g for g in molecules if len(g) > 1]
    theirs, ours = grakel_kernel(name).fit_transform(grakel_graphs(graphs)), counted(graphs, name)
    if name == "edge":
        theirs = theirs / 4  # both directions of each edge, in both graphs
    if name.startswith("walk"):  # it lets walks of no step agree whatever their labels
        sizes = np.array([len(g) for g in graphs])
        theirs = theirs - np.outer(sizes, sizes) + oracle.gram(graphs, "vertex")
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


# -- the sum of base kernels ----------------------------------------------------------------------------------------


@pytest.fixture(params=["kept matrices", "features"])
def case(request, molecules, rng):
    """A kernel whose inputs are in the kept Gram matrices, or only in part."""
    shelf = Library(BASE)
    shelf.prepare(molecules[:30] if request.param == "kept matrices" else molecules[:7])
    kernel = Graphs(0.3 * rng.normal(size=16), shelf)
    return kernel, molecules[5:15], molecules[8:12]


def test_covariances_are_the_weighted_sum_of_base_kernels(case, molecules):
    kernel, X, Z = case
    v = np.exp(kernel.theta)
    base = [oracle.gram(molecules[5:15], name) for name in BASE]
    base = [np.nan_to_num(oracle.normalised(K)) if np.diag(K).all() else None for K in base]
    assert all(K is not None for K in base), "these ten graphs should have every feature"
    expected = sum(w * K for w, K in zip(v, base)) + v[14] * sum(base) / 14 + v[15] * np.eye(10)
    np.testing.assert_allclose(kernel(X), expected, rtol=1e-10)
    np.testing.assert_allclose(kernel(X, Z), expected[:, 3:7], rtol=1e-10)
    np.testing.assert_allclose(kernel.diag(X), np.diag(expected), rtol=1e-12)
    assert np.linalg.eigvalsh(kernel(X)).min() > 0


def test_gradients_equal_finite_differences(case, rng):
    kernel, X, Z = case
    check_parameters(kernel, Z, X, rng)
    with pytest.raises(NotApplicable, match="kernel has no input gradient"):
        vjp_inputs(kernel, np.ones((len(Z), len(X))), Z, X)


def test_a_repeated_input_is_the_same_graph_to_the_identity_kernel(case):
    kernel, X, _ = case
    only = kernel.with_values(dict.fromkeys(kernel.names, 0.0) | {"variance.identity": 2.0})
    twice = np.concatenate([X[:3], X[1:2]])
    expected = 2 * np.eye(4)
    expected[1, 3] = expected[3, 1] = 2
    np.testing.assert_array_equal(only(twice), expected)


def test_values_round_trip(case):
    kernel, _, _ = case
    again = kernel.with_theta(0 * kernel.theta).with_values(kernel.values())
    np.testing.assert_allclose(again.theta, kernel.theta, atol=1e-14)


def test_theta_reuses_what_was_counted(molecules, monkeypatch):
    kernel = build_kernel({"name": "graph", "base": ["wl-2", "walk-1"]}, molecules)
    before = kernel(molecules)
    monkeypatch.setattr(Features, "__call__", None)  # nothing may be counted from here on
    monkeypatch.setattr(Library, "features", None)
    np.testing.assert_allclose(kernel.with_theta(kernel.theta + np.log(3))(molecules), 3 * before, rtol=1e-12)
    build_kernel({"name": "graph", "base": ["wl-2", "walk-1"]}, molecules[:20])


def test_without_redundant_kernels_every_parameter_is_a_base_kernels(molecules):
    kernel = Graphs.create(molecules, base=["vertex", "wl-1"], redundant=False)
    assert kernel.names == ("variance.vertex", "variance.wl-1")
    np.testing.assert_allclose(kernel.diag(molecules), 1.0)


def test_a_set_too_large_to_keep_is_evaluated_from_features(molecules, monkeypatch):
    monkeypatch.setattr(GramStack, "fits", staticmethod(lambda n, bases: False))
    shelf = Library(("wl-1", "edge"))
    shelf.prepare(molecules)
    K = Graphs(np.zeros(4), shelf)(molecules)
    assert shelf.places(shelf.numbers(molecules)) is None
    np.testing.assert_allclose(K, build_kernel({"name": "graph", "base": ["wl-1", "edge"]}, molecules)(molecules) * 4)


# -- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [["wl"], ["wl-99"], ["graphlet-6"], ["walk-8"], ["nothing"], [], ["edge", "edge"]])
def test_unknown_or_repeated_base_kernels_are_config_errors(molecules, base):
    with pytest.raises(ConfigError, match="graph kernel"):
        Graphs.create(molecules, base=base)


def test_vectors_are_not_graphs(rng):
    with pytest.raises(ConfigError, match="these inputs are vectors"):
        Graphs.create(rng.normal(size=(4, 2)))


@pytest.mark.parametrize(
    "labels, edges, bonds",
    [([6], [[0, 0]], [1]), ([6, 6], [[0, 1], [1, 0]], [1, 1]), ([6], [[0, 1]], [1]), ([200], [], []), ([], [], []),
     ([6, 6], [[0, 1]], [])],
)  # fmt: skip
def test_what_is_no_graph_is_refused(labels, edges, bonds):
    with pytest.raises(DataError):
        Graph(labels, np.array(edges).reshape(-1, 2), bonds)


def test_a_graph_too_dense_for_the_geometric_series_is_refused():
    edges = [(i, j) for i in range(6) for j in range(i)]
    with pytest.raises(DataError, match="too dense"):
        Features("random-walk")(Graph(np.full(6, 6), edges, np.ones(15)))


# -- molecules ------------------------------------------------------------------------------------------------------


def test_a_molecule_is_its_heavy_atoms_and_bonds():
    pytest.importorskip("rdkit", reason="RDKit (gpbench[molecules]) is not installed")
    g = graph_of("CC(=O)O")
    assert g.labels.tolist() == [6, 6, 8, 8]
    assert sorted(map(tuple, g.edges.tolist())) == [(0, 1), (1, 2), (1, 3)]
    assert sorted(g.edge_labels.tolist()) == [1, 1, 2]
    assert set(graph_of("c1ccccc1").edge_labels) == {12}


def test_text_that_is_no_molecule_is_a_data_error():
    pytest.importorskip("rdkit", reason="RDKit (gpbench[molecules]) is not installed")
    with pytest.raises(DataError, match="not a SMILES"):
        graph_of("C1CC(")


def test_smiles_without_rdkit_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(MissingExtra, match=r"gpbench\[molecules\]"):
        graph_of("CCO")


def test_a_run_without_rdkit_ends_with_exit_code_5_and_names_the_extra(tmp_path):
    blocked, data = tmp_path / "rdkit", tmp_path / "data" / "bindingdb"
    blocked.mkdir()
    (blocked / "__init__.py").write_text("raise ImportError('blocked')\n")
    data.mkdir(parents=True)
    rows = [f"{'C' * (i % 30 + 1)}O,{i * 0.1}" for i in range(30)]
    (data / "molecules.csv").write_text("\n".join(["smiles,y", *rows]) + "\n")
    (tmp_path / "c.yaml").write_text(
        "name: c\ndataset: bindingdb\nsplit: {kind: random, n_train: 20, n_test: 10}\ntrials: 1\nkernel: graph\n"
        "hyperparameters: {schedule: joint, evaluations: 3}\nd_max: 5\nmethods: [vfe]\nmetrics: [smse]\n"
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "GPBENCH_DATA": str(tmp_path / "data"), "GPBENCH_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "gpbench", "run", "c.yaml", "-o", "out"], cwd=tmp_path, env=env, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 5, done.stderr
    assert "gpbench[molecules]" in done.stderr
    assert "Traceback" not in done.stderr


# -- the real molecules ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def thrombin(mirror):
    pytest.importorskip("rdkit", reason="RDKit (gpbench[molecules]) is not installed")
    with open(mirror / "thrombin" / "CHEMBL204_Ki.csv") as f:
        return np.array([row["smiles"] for row in csv.DictReader(f)], dtype=object)


@pytest.mark.real
@pytest.mark.parametrize("name", BASE)
def test_base_kernels_on_60_real_molecules_equal_their_definitions(thrombin, name):
    short = sorted(thrombin, key=len)[:150]
    chosen = np.array(sorted(short, key=lambda s: len(graph_of(s)))[:60], dtype=object)  # the double loops are slow
    graphs = [graph_of(s) for s in chosen]
    expected = oracle.normalised(oracle.gram(graphs, name))
    np.testing.assert_allclose(next(Library((name,)).grams_of(chosen)), expected, atol=1e-10)


@pytest.mark.real
def test_all_gram_matrices_of_thrombin_take_less_than_a_minute_and_are_positive_semidefinite(thrombin):
    begin = time.process_time()
    kernel = Graphs.create(thrombin)
    assert time.process_time() - begin < 60
    assert kernel.library.places(kernel.library.numbers(thrombin)) is not None
    some = thrombin[::7]
    for name, K in zip(BASE, library(BASE).grams_of(some)):
        assert np.linalg.eigvalsh(K).min() > -1e-9, name
