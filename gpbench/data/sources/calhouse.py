"""California housing: median house value of 20640 block groups, in the original columns (totals, not averages)."""

from __future__ import annotations

import numpy as np

from gpbench.data.source import Real

from .. import parse
from ..fetch.copies import ARFF, one_file
from ..tables import csv_file

ARRAYS = "6ef99cc0919df94f416e1eb1070c9de2fd0a34f5a4935bd995862877c36e514a"


def read_averages(path):
    """scikit-learn's form, as package arfs carries it: a total is an average times households, a whole number."""
    header, rows = csv_file.table(path)
    M = dict(zip(header, parse.numbers(path, rows).T))
    households = np.round(M["Population"] / M["AveOccup"])
    rooms, bedrooms = np.round(M["AveRooms"] * households), np.round(M["AveBedrms"] * households)
    X = np.column_stack(
        [M["Longitude"], M["Latitude"], M["HouseAge"], rooms, bedrooms, M["Population"], households, M["MedInc"]]
    )
    return X, np.round(M["target"] * 1e5)


class Calhouse(Real):
    name = "calhouse"
    title = "California housing: median house value of block groups"
    papers = ("keerthi",)
    citation = (
        "R. K. Pace, R. Barry (1997). Sparse spatial autoregressions. Statistics and Probability Letters 33, 291-297."
    )
    licence = "public domain (US census); figshare deposit CC BY 4.0"
    home = "StatLib houses; L. Torgo's regression data sets"
    shape = (20640, 8)
    copies = (
        one_file(
            "cal_housing/cal.housing.arff.gz",
            "6b51eea1b509dae7a814cbc5737b17c32fb150f1279b1ead2821ba968a9b93f1",
            parse.last_column,
            ARRAYS,
        ),
        one_file(
            "cal_housing/cal.housing.arff",
            "99ac39a6158b5eddec1a36be650beb5f11ff2e5237e925dfa4cb8d48cc1c7398",
            parse.last_column,
            ARRAYS,
            url=f"{ARFF}/regression/cal.housing.arff",
        ),
        one_file(
            "cal_housing/cal_housing.data",
            "",
            parse.last_column,
            ARRAYS,
            url="https://ndownloader.figshare.com/files/5976036",
            member="CaliforniaHousing/cal_housing.data",
        ),
        one_file(
            "cal_housing/arfs/housing.csv",
            "6220ff06b9c4af8873d8e94b64add4063b793cd1ce1f95ba44f55d652175f804",
            read_averages,
            ARRAYS,
            package="arfs==3.0.0",
            package_sha256="5a748fb81a291ee30b1d6ee3ce078cd3d0d331d0acfa6f9f1ef00d5b366f341d",
            member="arfs/dataset/data/housing.zip!housing.csv",
        ),
    )
