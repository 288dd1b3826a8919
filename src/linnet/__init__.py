"""linnet: linear models for natural language.

Everything public is listed in ``__init__.pyi`` and loaded when it is first used, so ``import
linnet`` costs next to nothing.

Examples
--------
>>> import linnet
>>> X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["spam", "ham", "ham"]
>>> linnet.Perceptron(random_state=0).fit(X, y).predict([[1.0, 0.5]]).tolist()
['ham']
"""

from __future__ import annotations

from linnet.public import attach

_load, __dir__, __all__ = attach(__name__, __file__)


def __getattr__(name: str) -> object:
    return _version() if name == "__version__" else _load(name)


def _version() -> str:
    """Return the version of the installation; reading it takes longer than all else here."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("linnet")
    except PackageNotFoundError:  # the sources are used without an installation
        return "0.0.0"
