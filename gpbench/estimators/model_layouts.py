"""What a saved object of each class consists of: the attributes, their types, and lengths that must agree.

A specification is a word, or a word and lengths: `f n D` is an array of finite doubles (n, D), `i n` one of whole
numbers (`short n` of int32), `b n` one of truth values, `work s` one of doubles that nothing is read from.
`rows n D` is `f n D` or n texts. `Name n D` is an object of a class whose own lengths are these; `A|B` one of two
classes; `?` before it allows None.
A letter stands for the same length wherever it occurs within an object.
"""

from __future__ import annotations

_SITES = {
    "kernel": "kernel D", "X": "f n D", "kdiag": "f n", "sites": "Sites n", "s": "f n", "var": "f n", "mu": "f n",
}  # fmt: skip
_DENSE = {**_SITES, "jitter": "natural", "K": "f n n", "factor": "Cholesky n"}
_SPARSE = {
    "kernel": "kernel D", "X": "f n D", "K": "csc n n", "kdiag": "f n", "columns": "i e", "note": "text",
    "fronts": "Multifrontal n", "sites": "Sites n", "s": "f n", "_factor": "? Multifrontal n", "_Z": "? f e",
    "_b": "? f n",
}  # fmt: skip
_FIC = {**_SITES, "s": "", "Z": "f m D", "first_rung": "natural", "root": "Cholesky m", "jitters": "dict",
                  "V": "f m n", "r": "naturals n", "panels": "list", "A": "f m m", "factor": "Cholesky m", "h": "f m",
                  "_logdet": "real"}  # fmt: skip

LAYOUTS: dict[str, tuple[str, dict[str, str]]] = {  # class -> (its lengths, attribute -> specification)
    "Model": ("D", {"fitted": "Fitted D", "scaler": "Scaler D", "n": "count", "task": "task", "classes": "count"}),
    "Scaler": ("D", {"shift": "? f D", "stretch": "? positives D", "offset": "real", "slope": "? f D",
                     "factor": "positive"}),
    "Fitted": ("D", {
        "predict": "CompactPosterior|ExactPosterior|LocalPosterior|"
        "SparsePosterior|VecchiaPosterior|FullScalePosterior|Ridge|Classifier|LikelihoodPosterior|"
        "DirichletPosterior|OneVsRestPosterior|ConstantPosterior|ScaledPosterior D",
        "gp": "? GP D", "n_basis": "? count", "log_evidence": "? real", "pivots": "? i q", "inducing": "? f z D",
        "whole": "bool", "seconds": "dict", "kernel_rows": "? count", "trace": "list", "notes": "tuple",
        "models": "tuple", "shown": "dict", "method": "? text",
    }),
    "GP": ("D", {"kernel": "kernel D", "noise": "natural"}),
    "ConstantPosterior": ("", {"mean": "real", "var": "positive"}),
    "ScaledPosterior": ("D", {"of": "ExactPosterior|SparsePosterior|VecchiaPosterior|FullScalePosterior D",
                              "factor": "positive"}),
    "Ridge": ("D", {"of": "SparsePosterior D", "var": "positive"}),
    "DirichletPosterior": ("D", {
        "parts": "each ExactPosterior|SparsePosterior|VecchiaPosterior|FullScalePosterior|LocalPosterior D"
    }),
    "OneVsRestPosterior": ("D", {"parts": "each Classifier D"}),
    "Classifier": ("D", {"posterior": "Panels|RankOne|Fic|FrontSites|RowSites|Parallel D"}),
    "CompactPosterior": ("D", {"gp": "GP D", "X": "f n D", "factor": "Multifrontal n", "alpha": "f n",
                               "log_evidence": "real", "fill_k": "natural", "note": "text"}),
    "ExactPosterior": ("D", {"kernel": "kernel D", "noise": "natural", "X": "rows n D", "factor": "Cholesky n",
                             "alpha": "f n", "log_evidence": "real"}),
    "LocalPosterior": ("D", {"tree": "Halving D", "parts": "each ExactPosterior D"}),
    "SparsePosterior": ("D", {"gp": "GP D", "Z": "rows m D", "L": "lower m", "LB": "lower m", "weights": "f m",
                              "nugget": "natural", "latent": "bool"}),
    "VecchiaPosterior": ("D", {"gp": "GP D", "X": "f n D", "y": "f n", "k": "count", "factor": "positive",
                               "noise": "? naturals n"}),
    "FullScalePosterior": ("D", {"columns": "InducingColumns D", "X": "f n D", "y": "f n", "k": "count",
                                 "LB": "lower m", "mu": "f m", "factor": "positive", "noise": "? naturals n"}),
    "InducingColumns": ("D", {"gp": "GP D", "Z": "f z D", "Kuu": "f m m", "root": "Cholesky m"}),
    "Cholesky": ("n", {"L": "lower n", "jitter": "natural", "needed": "natural"}),
    "Sites": ("n", {"tau": "f n", "nu": "f n"}),
    "LikelihoodPosterior": ("D", {"posterior": "SignedDense|SignedFic D", "at": "Fixed"}),
    "Fixed": ("", {"likelihood": "Poisson|NegativeBinomial|StudentT", "values": "dict"}),
    **dict.fromkeys(("Poisson", "NegativeBinomial", "StudentT"), ("", {})),
    "SignedDense": ("D", {**_DENSE, "W": "? f q n", "rest": "? f q"}),
    "SignedFic": ("D", _FIC),
    "Panels": ("D", {**_DENSE, "panels": "list", "columns": "list"}),
    "RankOne": ("D", {**_DENSE, "Sigma": "f n n"}),
    "Fic": ("D", _FIC),
    "FrontSites": ("D", {**_SPARSE, "change": "natural"}),
    "RowSites": ("D", {**_SPARSE, "symbolic": "Symbolic n", "_P": "tuple", "touched": "i t", "_ldl": "? SparseLDL n"}),
    "Parallel": ("D", {**_SPARSE, "damping": "positive"}),
    "Symbolic": ("n", {"perm": "i n", "inverse": "i n", "parent": "i n", "counts": "i n", "Lp": "i l", "Li": "short r",
                       "note": "text"}),
    "SparseLDL": ("n", {"symbolic": "Symbolic n", "_start": "short l", "_rows": "short e", "Lx": "f r", "D": "f n"}),
    "Halving": ("D", {"rows": "? i n", "direction": "? f D", "threshold": "real", "left": "? Halving D",
                      "right": "? Halving D"}),
    "Multifrontal": ("n", {"fronts": "Fronts n", "tree": "Tree", "target": "i e", "given": "i g", "panel": "f p",
                           "stack": "work t", "update": "work u", "W": "work w", "inverses": "work z",
                           "_logdet": "number"}),
    "Fronts": ("n", {"perm": "i n", "inverse": "i n", "parent": "i n", "counts": "i n", "tree": "Tree",
                     "stack_size": "count", "tallest": "count", "z_size": "count"}),
    "Tree": ("", {"first": "i l", "row_start": "i l", "rows": "i r", "place": "i r", "parent": "i k",
                  "has_child": "b k", "heir": "b k", "panel_start": "i l", "z_start": "i k", "z_lead": "i k",
                  "z_vector": "i k"}),
    "Quality": ("", {"how": "text", "rows": "count", "n": "count", "task": "task", "scores": "dict", "measure": "text",
                     "relevance": "tuple", "next_steps": "texts"}),
    "Encoding": ("", {"columns": "each Column"}),
    "Column": ("", {"name": "text", "levels": "? texts", "fill": "? real"}),
    "Reading": ("", {"columns": "each ColumnRule", "missing": "text", "encoding": "text", "sep": "text",
                     "separator": "text"}),
    "ColumnRule": ("", {"name": "text", "kind": "text", "use": "text", "number": "? NumberFormat",
                        "date": "? DateFormat", "levels": "texts", "missing_level": "bool", "fill": "? real",
                        "gap_input": "bool", "first": "real", "low": "? real", "high": "? real", "facts": "texts",
                        "warning": "text"}),
    "NumberFormat": ("", {"decimal": "text", "thousands": "text", "units": "texts", "factors": "tuple",
                          "shown": "text", "gaps": "tuple"}),
    "DateFormat": ("", {"style": "text", "order": "text"}),
}  # fmt: skip
STATE = {  # of an estimator
    "model_": "Model D", "method_": "text", "objects_": "bool", "n_basis_": "? count", "noise_": "? natural",
    "log_evidence_": "? real", "path_": "? dict", "notes_": "texts", "n_features_in_": "count", "kernel_": "? kernel D",
    "basis_": "? rows q D", "columns_": "Encoding|Reading", "feature_names_in_": "names", "classes_": "labels",
    "quality_": "Quality",
}  # fmt: skip
