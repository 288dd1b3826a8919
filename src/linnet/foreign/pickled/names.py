"""The list of classes and functions that a pickle may name. No other one is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from linnet.foreign.pickled import arrays

__all__ = ["MEANING", "RECONSTRUCTOR", "RECORD", "SCALAR", "VALUE", "WRAPPER", "Meaning"]

RECORD, VALUE, FUNCTION, RECONSTRUCTOR = "record", "value", "function", "reconstructor"
WRAPPER = "NumpyArrayWrapper"


class Meaning(NamedTuple):
    """What stands for a name: a record, a value that is only compared, or a function of ours."""

    name: str
    kind: str
    does: Callable[..., Any] | None = None


#: Modules, and the classes of theirs that become records.
_RECORDS = {
    "sklearn.pipeline": "Pipeline FeatureUnion",
    "sklearn.feature_extraction.text":
        "TfidfVectorizer TfidfTransformer CountVectorizer HashingVectorizer",
    "sklearn.svm._classes sklearn.svm.classes": "LinearSVC",
    "sklearn.linear_model._logistic sklearn.linear_model.logistic": "LogisticRegression",
    "sklearn.linear_model._stochastic_gradient sklearn.linear_model.stochastic_gradient":
        "SGDClassifier",
    "sklearn.linear_model._ridge sklearn.linear_model.ridge": "RidgeClassifier",
    "sklearn.linear_model._passive_aggressive sklearn.linear_model.passive_aggressive":
        "PassiveAggressiveClassifier",
    "sklearn.linear_model._perceptron sklearn.linear_model.perceptron": "Perceptron",
    "sklearn.naive_bayes": "MultinomialNB ComplementNB BernoulliNB",
    "sklearn.calibration":
        "CalibratedClassifierCV _CalibratedClassifier _SigmoidCalibration _TemperatureScaling",
    "sklearn.isotonic": "IsotonicRegression",
    "sklearn.frozen._frozen": "FrozenEstimator",
    "sklearn.preprocessing._label sklearn.preprocessing.label": "LabelEncoder LabelBinarizer",
    "sklearn._loss._loss": "CyHalfBinomialLoss",
    "sklearn.linear_model._sgd_fast sklearn.linear_model.sgd_fast":
        "Log Hinge SquaredHinge ModifiedHuber Huber EpsilonInsensitive SquaredLoss "
        "SquaredEpsilonInsensitive",
    "scipy.sparse._csr scipy.sparse.csr": "csr_matrix csr_array",
    "scipy.sparse._dia scipy.sparse.dia": "dia_matrix",
    "joblib.numpy_pickle sklearn.externals.joblib.numpy_pickle": WRAPPER,
}  # fmt: skip
_VALUES = {
    "numpy": "ndarray float64 float32 int64 int32 str_ bool_ uint8",
    "builtins __builtin__": "object float int str bool",
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "numpy.dtype": arrays.dtype,
    **dict.fromkeys(
        ("numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct"),
        arrays.held,
    ),
    **dict.fromkeys(
        ("numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer"), arrays.of_buffer
    ),
    "_codecs.encode": arrays.encoded,
    **dict.fromkeys(("builtins.set", "__builtin__.set"), arrays.set_of),
    **dict.fromkeys(("builtins.frozenset", "__builtin__.frozenset"), arrays.set_of),
}


def _each(table: dict[str, str], kind: str) -> dict[str, Meaning]:
    return {
        f"{module}.{name}": Meaning(f"{module}.{name}", kind)
        for modules, names in table.items()
        for module in modules.split()
        for name in names.split()
    }


#: One number, whichever of its two names a file says.
SCALAR = Meaning("numpy.core.multiarray.scalar", FUNCTION, arrays.scalar)
MEANING: dict[str, Meaning] = {
    **_each(_RECORDS, RECORD),
    **_each(_VALUES, VALUE),
    **{name: Meaning(name, FUNCTION, does) for name, does in _FUNCTIONS.items()},
    **dict.fromkeys(("numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar"), SCALAR),
    **_each({"copyreg copy_reg": "_reconstructor"}, RECONSTRUCTOR),
}
