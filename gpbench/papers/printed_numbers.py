"""The papers' numbers as data, and which of our rows each printed number corresponds to.

Printed values stay as printed; `Printed.to_printed` brings ours to the same unit. The mapping from printed names to
rows is in METHODS (columns that must agree), DATASETS and VARIANTS.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
import pandas as pd

from gpbench.analysis.row_settings import parse_items
from gpbench.metrics import METRICS

PAPERS = ("sundararajan", "vanhatalo", "keerthi", "cao", "snelson")
TITLES = {
    "sundararajan": "Sundararajan, Keerthi & Shevade (leave-one-out measures)",
    "vanhatalo": "Vanhatalo & Vehtari 2010 (compact support, EP)",
    "keerthi": "Keerthi & Chu 2005 (matching pursuit)",
    "cao": "Cao, Brubaker, Fleet & Hertzmann 2015 (CholQR)",
    "snelson": "Snelson & Ghahramani 2006 (SPGP)",
}
LOO = ("LOO-CVE", "NLGPP", "GPE")
ALGORITHMS = ("NLPP", "NLML", *LOO)

METHODS = {
    "sundararajan": {name: {"method": name.lower()} for name in ALGORITHMS},
    "keerthi": {
        "RAND": {"method": "random"},
        "INFO": {"method": "info"},
        "KAPPA": {"method": "kappa"},
        "DMAX": {"method": "dmax"},
        "SB": {"method": "sb"},
        "FIXED-SB": {"method": "sb", "adapted": False},
        "ADAPT-INFO": {"method": "info", "adapted": True},
        "ADAPT-DMAX": {"method": "dmax", "adapted": True},
    },
    "vanhatalo": {
        "k_se": {"method": "ep", "kernel": "ard-se"},
        **{f"k_pp{q}": {"method": "ep-sparse", "kernel": f"pp{q}"} for q in range(4)},
        "k_pp3-dense": {"method": "ep", "kernel": "pp3"},
        "FIC": {"method": "ep-fic"},
    },
    "cao": {
        **{f"CholQR-z{z}": {"method": "cholqr", "z": z} for z in (8, 10, 16, 64, 128)},
        "CholQR-AA": {"method": "cholqr", "variant": "aa"},
        "CholQR-VAR": {"method": "cholqr", "objective": "var"},
        "CholQR-MLE": {"method": "cholqr", "objective": "mle"},
        "CholQR": {"method": "cholqr"},
        "Titsias-16": {"method": "titsias", "candidates": 16},
        "Titsias-512": {"method": "titsias", "candidates": 512},
        "Random": {"method": "vfe", "inducing": "random"},
        "IVM": {"method": "ivm"},
        "CSI": {"method": "csi"},
        "FITC": {"method": "fitc"},
        "SoD": {"method": "sod"},
        "Hybrid": {"method": "hybrid"},
        "full GP": {"method": "full-gp"},
    },
    "snelson": {
        "SPGP": {"method": "fitc", "optimise_inputs": True},
        "SPGP (fixed)": {"method": "fitc", "optimise_inputs": True, "adapted": False},
        "SPGP (joint)": {"method": "fitc", "optimise_inputs": True, "adapted": True},
        "PLV": {"method": "plv"},
        "random": {"method": "random"},
        "info-gain": {"method": "info"},
        "smo-bart": {"method": "sb"},
        "full GP": {"method": "full-gp"},
    },
}
LABELLED = ("vanhatalo", "cao", "snelson")  # their methods may differ in settings that only a label can name
DATASETS = {  # printed name -> ours; the rest is the lower-case name
    "Boston housing": "boston",
    "2D simulated": "clusters2d",
    "5D simulated": "clusters5d",
    "Snelson 1D, every 10th point": "snelson1d",
    "Snelson 1D": "snelson1d",
    "kin-40k": "kin40k",
    "pumadyn-32nm": "pumadyn32nm",
}
UNOBTAINABLE = ("outaouais", "chem", "bindingdb", "hog")  # no source gives them; a user's own files may
VARIANTS = {
    "fixed hyperparameters, no cache": {"adapted": False, "cached": False},
    "fixed hyperparameters, with cache": {"adapted": False, "cached": True},
    "optimised hyperparameters": {"adapted": True},
    "d_max=500, fixed hyperparameters": {"d_max": 500},
    "d_max=500, adapted hyperparameters": {"d_max": 500},
    "more uniform initial inducing points": {"label": "FITC-uniform"},
    "poor initial inducing points": {"label": "FITC-poor"},
}
COLUMN = {  # printed metric -> the column of results.csv or the key of curves.csv that stands for it
    "NMSE": "nmse",
    "NPDL": "nlpd",
    "NLPD": "nlpd_latent",  # [keerthi] does not say which variance: the latent one, with nugget, in every cell
    "nlpd": "nlpd",
    "err": "err",
    "n_basis": "n_basis",
    "negative log likelihood": "log_evidence",
    "optimisation time": "adapt_seconds",
    "single EP run time": "ep_seconds",
    "fill-L": "fill_L",
    "fill-K": "fill_K",
    "fill-L/fill-K": "fill_ratio",
}
DESCRIPTIVE = ("n_train", "n_test", "n_total", "dims", "runs")
LOWER_IS_BETTER = (  # printed metrics; of a score it is metrics.py that says so
    *(printed for printed, column in COLUMN.items() if column in METRICS and METRICS[column].better == "lower"),
    "negative log likelihood",
)


@dataclass(frozen=True)
class Printed:
    """One printed number, or one "mean ± spread"."""

    paper: str
    item: str  # as printed: 'Table 2', 'Fig. 4f (text)'
    dataset: str
    method: str
    variant: str
    metric: str
    text: str  # of the value, as printed
    std_text: str  # empty where none is printed
    unit: str
    flag: str
    n_train: float
    runs: float
    note: str

    @property
    def id(self) -> str:
        parts = (self.paper, self.item, self.dataset, self.method, self.variant, self.metric, f"{self.n_train:.0f}")
        return "/".join(p for p in parts if p)

    @property
    def value(self) -> float:
        return float(self.text)

    @property
    def std(self) -> float:
        return _number(self.std_text)

    @property
    def items(self) -> tuple[str, ...]:
        return parse_items(self.item)

    @property
    def descriptive(self) -> bool:
        return self.metric in DESCRIPTIVE

    @property
    def misprint(self) -> bool:
        return "suspected misprint" in self.flag

    @property
    def key(self) -> str:
        """Our name of the data set."""
        return dataset_key(self.dataset)

    @property
    def factor(self) -> float:
        """Printed = ours x factor."""
        if self.metric == "negative log likelihood":
            return -1.0
        return 100.0 if self.unit in ("x1e-2", "percent") else 1.0

    @property
    def half_digit(self) -> float:
        """Half a unit of the last printed digit."""
        decimals = len(self.text.partition(".")[2])
        return 0.5 * 10.0**-decimals


@dataclass(frozen=True)
class Claim:
    paper: str
    id: str
    where: str
    text: str
    how: str
    earlier_check: str = ""  # the check before its revision, in words
    earlier_verdict: str = ""  # what it said of our results when it was replaced
    by_construction: bool = False  # true by algebra: a check of the code, not of the paper
    least_trials: int = 3  # behind every series, for a verdict


def dataset_key(printed: str) -> str:
    return DATASETS.get(printed, printed.lower())


def read(name: str) -> pd.DataFrame:
    with resources.files("gpbench.published").joinpath(f"{name}.csv").open(encoding="utf-8") as f:
        return pd.read_csv(f, dtype=str, keep_default_na=False)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


@cache
def cells(paper: str | None = None) -> tuple[Printed, ...]:
    """Every printed number, in the order of print; rows without a value (plots) are not cells."""
    found = []
    for name in PAPERS if paper is None else (paper,):
        for r in read(name).to_dict("records"):
            if r["value"]:
                found.append(
                    Printed(
                        paper=r["paper"], item=r["table_or_figure"], dataset=r["dataset"], method=r["method"],
                        variant=r["variant"], metric=r["metric"], text=r["value"], std_text=r["std"],
                        unit=r["unit_scale"], flag=r["flag"], n_train=_number(r["n_train"]), runs=_number(r["runs"]),
                        note=r["note"],
                    )
                )  # fmt: skip
    return tuple(found)


@cache
def claims() -> tuple[Claim, ...]:
    return tuple(
        Claim(
            r["paper"],
            r["claim_id"],
            r["figure_or_section"],
            r["claim"],
            r["how_to_check"],
            r["earlier_check"],
            r["earlier_verdict"],
            r["by_construction"] == "yes",
            int(r["least_trials"]),
        )
        for r in read("claims").to_dict("records")
    )


@cache
def runs_of(dataset: str) -> int:
    """Runs behind the printed results of [sundararajan] on one of our data sets."""
    return int(max(c.runs for c in cells("sundararajan") if c.key == dataset))


@cache
def printed_runs(paper: str, dataset: str, item: str = "") -> int:
    """Repetitions of the paper on one of our data sets, 0 where it does not say; `item` as in `Evidence.select`."""
    rows = read(paper)
    rows = rows[rows["dataset"].map(dataset_key) == dataset]
    named = rows["table_or_figure"].map(lambda text: any(i.startswith(item) for i in parse_items(text)))
    runs = rows.loc[named.to_numpy(dtype=bool), "runs"] if item else rows["runs"]
    return max((int(text) for text in runs if text.isdigit()), default=0)


def agree(rows: pd.DataFrame, where: dict) -> pd.DataFrame:
    """Rows whose columns have these values; a tuple or list allows several."""
    keep = np.ones(len(rows), dtype=bool)
    for column, value in where.items():
        wanted = rows[column].isin(list(value)) if isinstance(value, (tuple, list)) else rows[column] == value
        keep &= wanted.to_numpy(dtype=bool)
    return rows if keep.all() else rows[keep]


def naming(rows: pd.DataFrame, test) -> pd.DataFrame:
    """Rows of folders whose config names, under `published:`, some (paper, item) that passes the test."""
    fits = {sources: any(test(*source) for source in sources) for sources in set(rows["sources"])}
    return rows[rows["sources"].map(fits).to_numpy(dtype=bool)]


def of_method(rows: pd.DataFrame, paper: str, printed: str) -> pd.DataFrame:
    """Rows of a printed method: by what METHODS says; of LABELLED papers first by the label, if some row bears it."""
    by_label = rows[rows["label"] == printed]
    if printed not in METHODS[paper] or (paper in LABELLED and len(by_label)):
        return by_label
    return agree(rows, METHODS[paper][printed])


def of_cell(rows: pd.DataFrame, cell: Printed) -> pd.DataFrame:
    """Our finished rows that stand for a printed number: the folder must name the item in `published:`."""
    rows = rows[rows["dataset"] == cell.key]
    if rows.empty:
        return rows
    if cell.descriptive:  # any item of the paper shows the data; prefer the printed size
        rows = naming(rows, lambda paper, item: paper == cell.paper)
        same = rows[rows["n_train"] == cell.n_train]
        return same if len(same) else rows
    rows = naming(rows, lambda paper, item: paper == cell.paper and item in (*cell.items, ""))
    if cell.method:
        variant = VARIANTS.get(cell.variant, {})
        if "label" in variant:
            return agree(rows, variant)
        rows = agree(of_method(rows, cell.paper, cell.method), variant)
        if cell.paper != "vanhatalo" or cell.item == "Table 1":  # folds train on a part of the printed n
            rows = rows[rows["n_train"] == cell.n_train]
        if len(rows) and cell.paper == "sundararajan":  # with a grid of sizes, the cap is the table's
            rows = rows[rows["d_max"].isna() | (rows["d_max"] == rows["d_max"].max())]
    return rows
