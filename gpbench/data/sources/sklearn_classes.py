"""Classes from the package data of scikit-learn: digits, iris, wine, tumours. If it is there nothing is downloaded."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from gpbench.data import parse
from gpbench.data.source import Uci

from ..fetch.copies import Copy, one_file


def of_package(file: str, sha256: str, arrays: str, header: int = 1, unit: float = 1.0) -> tuple[Copy, ...]:
    """The file in the installed package, else in a release of it."""
    release = "scikit_learn-1.7.2"
    return (
        one_file(
            f"scikit-learn/{file}", sha256, partial(read, header=header, unit=unit), arrays,
            package="scikit-learn==1.7.2",
            package_sha256="20e9e49ecd130598f1ca38a1d85090e1a600147b9c02fa6f15d69cb53d968fda",
            member=f"{release}/sklearn/datasets/data/{file}", installed=f"sklearn/datasets/data/{file}",
        ),
    )  # fmt: skip


def read(path, header: int, unit: float):
    X, y = parse.last_column(path, header)
    return X / unit, y


class Digits(Uci):
    """Pixels between 0 and 1."""

    name = "digits"
    title = "Optical recognition of handwritten digits, 8 x 8 pixels"
    task = "classification"
    labels: ClassVar[tuple] = tuple("0123456789")
    citation = (
        "E. Alpaydin, C. Kaynak (1998). Optical Recognition of Handwritten Digits (the test part). UCI Machine "
        "Learning Repository, data set 80."
    )
    uci = 80
    shape = (1797, 64)
    copies = of_package(
        "digits.csv.gz", "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22",
        "652eb216ae4de43e9d26eb637474ffeab95a4269324f7ce2d840671c6601ad79", header=0, unit=16.0,
    )  # fmt: skip


class Iris(Uci):
    name = "iris"
    title = "Iris flowers"
    task = "classification"
    labels: ClassVar[tuple] = ("setosa", "versicolor", "virginica")
    citation = (
        "R. A. Fisher (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7, 179-188. "
        "UCI Machine Learning Repository, data set 53."
    )
    uci = 53
    shape = (150, 4)
    copies = of_package("iris.csv", "f13ffa8fdd56fd8e6c8d16d4081a3fbd3114bcd0aae4256c43205169cd9d1449",
                        "1cc6c4ee9752ecb4ca31ffc75b2b5f1dfdf078b0718210e53d06627790007f84")  # fmt: skip


class WineClasses(Uci):
    """Not `uci-wine`, whose target is the quality of another table."""

    name = "wine-classes"
    title = "Wine: three cultivars by 13 measurements"
    task = "classification"
    labels: ClassVar[tuple] = ("cultivar 1", "cultivar 2", "cultivar 3")
    citation = "S. Aeberhard, M. Forina (1991). Wine. UCI Machine Learning Repository, data set 109."
    uci = 109
    shape = (178, 13)
    copies = of_package("wine_data.csv", "10e8a802908b34f86e5da8ce962f3c806694bc98450a18f61851af59f324bede",
                        "c7913eb2f82846341cad022e854752489bfb3ce63928822561f786e549e6dd00")  # fmt: skip


class BreastDiagnostic(Uci):
    """Not `breast`, whose nine inputs are grades given by a pathologist."""

    name = "breast-diagnostic"
    title = "Breast cancer Wisconsin (diagnostic): measurements of cell nuclei in images"
    task = "classification"
    labels: ClassVar[tuple] = ("malignant", "benign")
    citation = (
        "W. H. Wolberg, O. L. Mangasarian, N. Street, W. Street (1993). Breast Cancer Wisconsin (Diagnostic). UCI "
        "Machine Learning Repository, data set 17."
    )
    uci = 17
    shape = (569, 30)
    copies = of_package("breast_cancer.csv", "fed3eb72d0575ef6192293f5093c6e801b1476b577d0386bf4455504522172ed",
                        "b5392b4624f3ed4c0410e5f38f5cdd807296965fb84c6becb115020846e46061")  # fmt: skip
