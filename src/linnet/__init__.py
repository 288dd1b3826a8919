"""linnet: linear models for natural language.

Everything public is listed in ``__all__`` and loaded when it is first used, so ``import linnet``
costs next to nothing.

Examples
--------
>>> import linnet
>>> X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["spam", "ham", "ham"]
>>> linnet.Perceptron(random_state=0).fit(X, y).predict([[1.0, 0.5]]).tolist()
['ham']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet import data, errors, evaluate, explain, reference, text
    from linnet.comparison import Comparison, compare
    from linnet.decide import BayesDecision
    from linnet.learn import feature_maps, kernels, schedules
    from linnet.learn.crf import CRF
    from linnet.learn.density import GaussianBayes, ParzenWindows
    from linnet.learn.feature_weights import FeatureWeights
    from linnet.learn.hmm import HMM
    from linnet.learn.kernel import KernelPerceptron, KernelSVM
    from linnet.learn.local import LocalTagger
    from linnet.learn.maxent import MaxEnt
    from linnet.learn.maxent_distribution import MaxEntDistribution
    from linnet.learn.memm import MEMM
    from linnet.learn.memory import MemoryBased
    from linnet.learn.mira import MIRA
    from linnet.learn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
    from linnet.learn.perceptron import Perceptron
    from linnet.learn.regression import LinearRegression
    from linnet.learn.structured import StructuredMIRA, StructuredPerceptron, StructuredSVM
    from linnet.learn.svm import SVM
    from linnet.learn.tree import DecisionTree
    from linnet.model.file import load, save
    from linnet.model.model import Model
    from linnet.model.row_classifier import RowClassifier
    from linnet.model.sequence_tagger import SequenceTagger
    from linnet.model.text_classifier import TextClassifier

    __version__: str

# Each public name and the module it lives in; a new learner adds one line.
_HOME = {
    "BayesDecision": "linnet.decide",
    "BernoulliNB": "linnet.learn.naive_bayes",
    "CRF": "linnet.learn.crf",
    "Comparison": "linnet.comparison",
    "DecisionTree": "linnet.learn.tree",
    "GaussianBayes": "linnet.learn.density",
    "FeatureWeights": "linnet.learn.feature_weights",
    "GaussianNB": "linnet.learn.naive_bayes",
    "HMM": "linnet.learn.hmm",
    "KernelPerceptron": "linnet.learn.kernel",
    "KernelSVM": "linnet.learn.kernel",
    "LinearRegression": "linnet.learn.regression",
    "LocalTagger": "linnet.learn.local",
    "MEMM": "linnet.learn.memm",
    "MIRA": "linnet.learn.mira",
    "MaxEnt": "linnet.learn.maxent",
    "MaxEntDistribution": "linnet.learn.maxent_distribution",
    "MemoryBased": "linnet.learn.memory",
    "Model": "linnet.model.model",
    "MultinomialNB": "linnet.learn.naive_bayes",
    "ParzenWindows": "linnet.learn.density",
    "Perceptron": "linnet.learn.perceptron",
    "RowClassifier": "linnet.model.row_classifier",
    "SVM": "linnet.learn.svm",
    "SequenceTagger": "linnet.model.sequence_tagger",
    "StructuredMIRA": "linnet.learn.structured",
    "StructuredPerceptron": "linnet.learn.structured",
    "StructuredSVM": "linnet.learn.structured",
    "TextClassifier": "linnet.model.text_classifier",
    "compare": "linnet.comparison",
    "load": "linnet.model.file",
    "save": "linnet.model.file",
}
_MODULES = {
    "data": "linnet.data",
    "errors": "linnet.errors",
    "evaluate": "linnet.evaluate",
    "explain": "linnet.explain",
    "feature_maps": "linnet.learn.feature_maps",
    "kernels": "linnet.learn.kernels",
    "reference": "linnet.reference",
    "schedules": "linnet.learn.schedules",
    "text": "linnet.text",
}

__all__ = [
    "CRF",
    "HMM",
    "MEMM",
    "MIRA",
    "SVM",
    "BayesDecision",
    "BernoulliNB",
    "Comparison",
    "DecisionTree",
    "FeatureWeights",
    "GaussianBayes",
    "GaussianNB",
    "KernelPerceptron",
    "KernelSVM",
    "LinearRegression",
    "LocalTagger",
    "MaxEnt",
    "MaxEntDistribution",
    "MemoryBased",
    "Model",
    "MultinomialNB",
    "ParzenWindows",
    "Perceptron",
    "RowClassifier",
    "SequenceTagger",
    "StructuredMIRA",
    "StructuredPerceptron",
    "StructuredSVM",
    "TextClassifier",
    "compare",
    "data",
    "errors",
    "evaluate",
    "explain",
    "feature_maps",
    "kernels",
    "load",
    "reference",
    "save",
    "schedules",
    "text",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    raise AttributeError(f"module 'linnet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def _version() -> str:
    """Return the version of the installation; reading it takes longer than all else here."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("linnet")
    except PackageNotFoundError:  # the sources are used without an installation
        return "0.0.0"
