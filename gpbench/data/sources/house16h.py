"""house16H: median house price of places in the 1990 US census, 16 inputs; targets as house8L, row for row."""

from __future__ import annotations

from gpbench.data import parse

from ..fetch.copies import DELVE, one_file
from .house8l import CensusHouse

ARRAYS = "1b4861de88e804caaa130d3213a20013bae49501f7e71011da43453f3eeb8aa1"


class House16h(CensusHouse):
    name = "house16h"
    title = "house16H: house prices from census counts, 16 inputs"
    shape = (22784, 16)
    copies = (
        one_file(
            "house_16H/Prototask.data.gz",
            "b6821923b6f3baa95c368b4fc9c08a373f3e4323dbe3fbb3b54b0ed6090e8982",
            parse.last_column,
            ARRAYS,
        ),
        one_file(
            "house_16H/Prototask.data",
            "7f2a0ec8a4e47be1152a47f3f1be12a25ad5f99cde4400d838110fc47671f5cf",
            parse.last_column,
            ARRAYS,
            url=f"{DELVE}/census-house/house-price-16H/Prototask.data",
        ),
    )
