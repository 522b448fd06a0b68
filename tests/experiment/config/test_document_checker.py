"""Every fault of a config is one line with its position; all faults of a file come at once."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpbench.errors import ConfigError
from tests.helpers.config_files import BASE, parts, problems, trials  # noqa: F401  (parts is a fixture)

pytestmark = pytest.mark.usefixtures("parts")
RICH = "name: t\ndataset: rows\nmethods: [rich, plain]\n"


@pytest.mark.parametrize(
    "text, expected",
    [
        # unknown keys, at every level, with the nearest valid one
        (BASE + "trails: 3\n", "4:1: unknown key 'trails' (neither a setting nor a parameter of a listed"),
        (BASE + "split: {kind: random, n_trian: 5}\n", "4:23: unknown key 'n_trian'; did you mean 'n_train'?"),
        (BASE + "kernel: {name: ard-se, frm: half}\n", "4:24: unknown key 'frm'; did you mean 'form'?"),
        (BASE + "compare: {tset: paired-t}\n", "4:11: unknown key 'tset'; did you mean 'test'?"),
        (
            "name: t\ndataset: {name: rows, sise: 3}\nmethods: [plain]\n",
            "2:23: unknown key 'sise'; did you mean 'size'?",
        ),
        (
            "name: t\ndataset: rows\nmethods:\n  - {method: plain, nuget: 1}\n",
            "4:21: unknown key 'nuget' (method plain); did you mean 'nugget'?",
        ),
        (RICH + "d_max: 3\nstop: {patiense: 3}\n", "5:8: unknown key 'patiense'; did you mean 'patience'?"),
        (
            "name: t\ndataset: rows\nmethods: [{method: vfe, stop: {patience: 3}}]\nd_max: 3\n",
            "3:32: unknown key 'patience'; valid: gap, held_out, trace",
        ),
        (
            "name: t\ndataset: rows\nmethods: [{method: vfe, inducing: kmean}]\nd_max: 3\n",
            "3:35: 'inducing': 'kmean' is no way to choose inducing points; did you mean 'kmeans'?",
        ),
        (RICH + "d_max: 3\nstop: {patience: no}\n", "5:18: 'patience': expected a whole number, got \"no\""),
        (
            RICH + "d_max: 3\nstop: sometimes\n",
            "5:7: 'stop': expected 'd_max' or expected a mapping, got \"sometimes\"",
        ),
        (BASE + "d_max: 3\n", "4:1: unknown key 'd_max'"),
        # a method on sparse matrices with a kernel that makes none
        (
            "name: t\ndataset: rows\nmethods: [sparse-gp]\n",
            "3:11: sparse-gp: the kernel (ard-se) has no compact support: use pp0..pp3, or a product with one of them",
        ),
        (
            "name: t\ndataset: rows\nmethods:\n  - {method: sparse-gp, kernel: {name: pp3, bias: true}}\n",
            "4:33: sparse-gp: the kernel (pp3 with bias) has no compact support",
        ),
        (BASE + "hyperparameters: {schedule: joint, prior: half-t}\n", "4:43: 'prior': plain has none"),
        # unknown names
        ("name: t\ndataset: rws\nmethods: [plain]\n", "2:10: unknown dataset 'rws'; did you mean rows"),
        ("name: t\ndataset: rows\nmethods: [plian]\n", "3:11: unknown method 'plian'; did you mean plain"),
        (BASE + "kernel: ard-sé\n", '4:9: kernel "ard-sé": a name is made of'),
        (BASE + "kernel: ard-sf\n", "4:9: unknown kernel 'ard-sf'; did you mean ard-se"),
        (BASE + "metrics: [nmse, nlpdd]\n", "4:17: unknown metric \"nlpdd\"; did you mean 'nlpd'?"),
        (BASE + "published: {paper: keerti, item: Table 1}\n", "4:20: unknown paper 'keerti'; did you mean 'keerthi'?"),
        (
            BASE + "published: {paper: keerthi, item: Table 9}\n",
            "4:35: keerthi has no printed numbers or claims",
        ),
        # wrong types and values
        (BASE + "trials: no\n", "4:9: 'trials': expected a whole number, got \"no\""),
        (BASE + "trials: 1.5\n", "4:9: 'trials': expected a whole number, got 1.5"),
        (BASE + "trials: '3'\n", "4:9: 'trials': expected a whole number, got \"3\""),
        (BASE + "trials: 0\n", "4:9: 'trials': must be greater than or equal to 1, got 0"),
        (BASE + "trials: true\n", "4:9: 'trials': expected a whole number, got true"),
        (BASE + "trials:\n", "4:8: 'trials': expected a whole number, got null"),
        (BASE + "trials: 010\n", "4:9: '010' is ambiguous"),
        (BASE + "seed: -1\n", "4:7: 'seed': must be greater than or equal to 0, got -1"),
        (BASE + "nugget: on\n", "4:9: 'nugget': expected a number, got \"on\""),
        (BASE + "kernel: {name: ard-se, bias: yes}\n", "4:30: 'bias': expected true or false, got \"yes\""),
        (BASE + "kernel: {name: ard-se, form: whole}\n", "4:30: 'form': expected 'half' or 'plain', got \"whole\""),
        (BASE + "kernel: {name: warped}\n", "4:9: kernel warped: 'depth' is missing"),
        (BASE + "kernel: {sum: [ard-se]}\n", "4:15: 'sum': expected a list of two or more kernels"),
        (BASE + "kernel: {sum: [ard-se, bais]}\n", "4:24: unknown kernel 'bais'; did you mean bias"),
        (BASE + "kernel: sum\n", "4:9: write {sum: [...]}"),
        (BASE + "scale: {inputs: unit}\n", "4:17: 'inputs': expected 'standardise' or 'none', got \"unit\""),
        (
            BASE + "split: {kind: randm}\n",
            "4:15: split: 'kind' is one of random, published, folds, first; got \"randm\"",
        ),
        (
            BASE + "split: {n_train: 3}\n",
            "4:8: split: 'kind' is one of random, published, folds, first; 'kind' is missing",
        ),
        (BASE + "split: {kind: random}\n", "4:8: 'n_train' is missing"),
        (BASE + "compare: {alpha: 1.5}\n", "4:18: 'alpha': must be less than 1, got 1.5"),
        (BASE + "timeout: -3\n", "4:10: 'timeout': must be greater than 0, got -3"),
        (BASE + "memory: 1e9\n", "4:9: 'memory': expected a whole number"),
        (
            BASE + "hyperparameters: {from: full-gp, values: {noise: 1}}\n",
            "4:34: `values` and `from` exclude each other",
        ),
        (BASE + "hyperparameters: {schedule: fixed, rounds: 3}\n", "4:36: `rounds` needs `schedule: interleaved`"),
        (BASE + "hyperparameters: {schedule: joint, subset: 3}\n", "4:36: `subset` needs `from: full-gp`"),
        (
            BASE + "hyperparameters: {values: {variance: 1, lengthscal: 1, noise: 1}}\n",
            "4:41: unknown key 'lengthscal'; did you mean 'lengthscale'?",
        ),
        (
            BASE + "hyperparameters: {values: {variance: 1, lengthscale: 1, noise: 0}}\n",
            "4:64: 'noise': must be greater than 0, got 0",
        ),
        (
            BASE + "hyperparameters: {values: {variance: 1, lengthscale: x, noise: 1}}\n",
            "4:54: 'lengthscale': expected a number or expected a list, got \"x\"",
        ),
        (RICH + "d_max: [5, 0, no]\n", "4:12: 'd_max[1]': must be greater than or equal to 1, got 0"),
        (RICH + "d_max: [5, 5]\n", "4:8: 'd_max': a grid needs one or more different values"),
        (RICH + "d_max: []\n", "4:8: 'd_max': a grid needs one or more different values"),
        (RICH, "3:11: 'd_max' is missing"),
        (RICH + "d_max: 3\nbounds: [1]\n", "5:10: 'bounds[0]': expected a list, got 1"),
        # what is missing or doubled
        ("dataset: rows\nmethods: [plain]\n", "1:1: 'name' is missing"),
        ("name: t\nmethods: [plain]\n", "1:1: 'dataset' is missing"),
        ("name: t\ndatasets: [rows, labels]\n", "1:1: 'methods' is missing: with data sets of both tasks"),
        ("name: t\ndataset: rows\nmethods: plain\n", '3:10: methods: expected a list of methods; got "plain"'),
        ("name: t\ndataset: rows\nmethods: []\n", "3:10: methods: expected a list of methods; got []"),
        (BASE + "datasets: [rows]\n", "2:1: give `dataset` or `datasets`, not both"),
        ("name: t\ndatasets: [rows, rows]\nmethods: [plain]\n", "2:18: data set 'rows' is listed twice"),
        ("name: t\ndataset: rows\nmethods: [plain, plain]\n", "3:18: methods 1 and 2 are both called 'plain'"),
        ("name: t\ndataset: rows\nmethods: [{label: x}]\n", "3:11: methods: 'method' is missing"),
        ("name: t\ndataset: {first_of: []}\nmethods: [plain]\n", "2:21: 'first_of': expected a list of data sets"),
        ("name: t\ndataset: {csv: absent.csv, target: y}\nmethods: [plain]\n", "2:16: no file absent.csv"),
        ("name: t\ndataset: {csv: absent.csv}\nmethods: [plain]\n", "2:10: 'target' is missing"),
        ("name: t\ndataset: {parquet: absent.parquet}\nmethods: [plain]\n", "2:10: 'target' is missing"),
        (
            "name: t\ndataset: rows\nmethods: [seeded]\n",
            "3:11: method seeded: its parameter 'seed' has the name of a config key; rename it",
        ),
        # tasks
        (
            "name: t\ndataset: labels\nmethods: [plain]\n",
            "3:11: plain is a regression method, labels is classification data",
        ),
        (
            "name: t\ndataset: rows\nmethods: [classifier]\n",
            "3:11: classifier is a classification method, rows is regression data",
        ),
        # a mapping that is empty, and what should be one
        (BASE + "kernel: {}\n", "4:9: kernel: 'name' is missing"),
        (BASE + "kernel: 3\n", "4:9: kernel: expected a mapping, got 3"),
        (BASE + "split: {}\n", "4:8: split: 'kind' is one of"),
        (BASE + "split: random\n", '4:8: split: expected a mapping, got "random"'),
        (
            "name: t\ndataset: {}\nmethods: [plain]\n",
            "2:10: dataset: one of 'name', 'csv', 'npy', 'parquet' or 'first_of' is missing",
        ),
        ("name: t\ndatasets: [7]\nmethods: [plain]\n", "2:12: dataset: expected a mapping, got 7"),
        ("name: t\ndataset: rows\nmethods: [{}]\n", "3:11: methods: 'method' is missing"),
        ("name: t\ndataset: rows\nmethods: [7]\n", "3:11: method: expected a mapping, got 7"),
        # names that would leave the folder
        ("name: ../../etc\ndataset: rows\nmethods: [plain]\n", '1:7: name "../../etc": a name is made of'),
        ("name: ..\ndataset: rows\nmethods: [plain]\n", '1:7: name "..": a name is made of'),
        ("name: A\ndataset: rows\nmethods: [plain]\n", '1:7: name "A": a name is made of'),
        ('name: "a\\n"\ndataset: rows\nmethods: [plain]\n', "1:7: name"),
        ("name: 3\ndataset: rows\nmethods: [plain]\n", "1:7: name 3: a name is made of"),
        ("name: t\ndataset: ../rows\nmethods: [plain]\n", '2:10: dataset "../rows": a name is made of'),
        ("name: t\ndataset: rows\nmethods: [../plain]\n", '3:11: method "../plain": a name is made of'),
        (
            "name: t\ndataset: rows\nmethods: [{method: plain, label: ''}]\n",
            "3:34: 'label': expected up to 60 printable",
        ),
    ],
)
def test_a_fault_is_one_line_at_its_position(tmp_path, text, expected):
    found = problems(tmp_path, text)
    assert any(line.startswith(expected) for line in found), found


def test_all_faults_of_a_file_are_listed_at_once(tmp_path):
    text = (
        "name: Bad Name\n"
        "datasets:\n"
        "  - {name: rows, sise: 3}\n"
        "  - nowhere\n"
        "trials: no\n"
        "trials: 2\n"
        "kernel: {name: ard-se, bias: maybe}\n"
        "d_max: [1, x, 010]\n"
        "methods: [rich, {method: plain, nuget: 1}, plan]\n"
        "metrics: nmse\n"
    )
    places = [line.split(": ")[0] for line in problems(tmp_path, text)]
    assert places == ["1:7", "3:18", "4:5", "5:9", "6:1", "7:30", "8:12", "8:15", "9:33", "9:44", "10:10"]


def test_a_refused_value_is_complained_about_once(tmp_path):
    assert len(problems(tmp_path, BASE + "trials: !x 3\n")) == 1
    assert len(problems(tmp_path, BASE + "split: *a\n")) == 1


def test_a_value_shared_by_methods_is_complained_about_once(tmp_path):
    text = "name: t\ndatasets: [rows, {name: labels}]\nmethods: [plain, rich]\nd_max: 3\nnugget: big\n"
    assert sum("nugget" in line for line in problems(tmp_path, text)) == 1


@pytest.mark.parametrize(
    "option, expected",
    [
        ("trials=no", "--set trials=no: 'trials': expected a whole number, got \"no\""),
        ("split.n_trian=5", "--set split.n_trian=5: unknown key 'n_trian'; did you mean 'n_train'?"),
        ("trials=010", "--set trials=010: '010' is ambiguous"),
        ("trials=[1", "--set trials=[1: not valid YAML"),
        ("trials", "--set trials: expected key=value"),
        ("=3", "--set =3: expected key=value"),
        ("a..b=3", "--set a..b=3: expected key=value"),
        ("name.x=3", "--set name.x=3: 'name' has no part 'x'"),
        ("methods.7.label=x", "--set methods.7.label=x: 'methods' has no part '7'"),
        ("methods.-1=x", "--set methods.-1=x: 'methods' has no part '-1'"),
        ("trails=3", "--set trails=3: unknown key 'trails'"),
    ],
)
def test_a_fault_of_an_override_names_the_option(tmp_path, option, expected):
    found = problems(tmp_path, BASE + "split: {kind: random, n_train: 5}\n", option)
    assert any(line.startswith(expected) for line in found), found


KEYS = """name dataset datasets split scale trials seed kernel hyperparameters d_max cache methods metrics compare
published timeout memory nugget stop description kind n_train values method label first_of csv sum product schedule"""
LEAVES = [None, True, False, -1, 0, 2, 0.5, "rows", "plain", "rich", "ard-se", "random", "x", "", "d_max"]
keys, leaves = st.sampled_from(KEYS.split()), st.sampled_from(LEAVES)
trees = st.recursive(
    leaves, lambda t: st.one_of(st.lists(t, max_size=3), st.dictionaries(keys, t, max_size=4)), max_leaves=12
)


@given(st.dictionaries(keys, trees, max_size=8))
@settings(max_examples=400, deadline=None)
def test_any_tree_of_known_keys_is_a_config_or_a_list_of_problems(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    try:
        text = json.dumps({"name": "t", "dataset": "rows", "methods": ["plain"]} | data)
        assert all(json.loads(json.dumps(t.split)) == t.split and t.kernel for t in trials(folder, text))
    except ConfigError as e:
        places = (f"{folder}/c.yaml:", "methods '")  # the latter: two labels for one computation
        assert all(line.startswith(places) for line in str(e).split("\n"))
