"""Parameters of estimators that read sequences, in scikit-learn's manner and without importing it.

``clone``, ``GridSearchCV`` and the like take these estimators for their own. Importing scikit-learn
takes about a second and 150 MB, more than many a tagger needs to train, and nothing here needs it:
its estimators work on tables, these on lists of sentences.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any, Self

from linnet.errors import ParameterError

__all__ = ["Estimator", "clone"]

_LISTED = 20  # tags that a notebook shows


class Estimator:
    """Constructor arguments are parameters; attributes that end in _ come from fitting."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        arguments = inspect.signature(cls).parameters
        return {name: argument.default for name, argument in sorted(arguments.items())}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep` those of estimators among them too.

        Examples
        --------
        >>> import linnet
        >>> linnet.CRF(C=0.5).get_params()["C"]
        0.5
        """
        found = {}
        for name in self._defaults():
            value = found[name] = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; ``learner__C`` is the C of the parameter ``learner``.

        Examples
        --------
        >>> import linnet
        >>> linnet.SequenceTagger(linnet.CRF()).set_params(learner__C=2.0).learner
        CRF(C=2.0)
        """
        known = self._defaults()
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            first, _, rest = name.partition("__")
            if first not in known:
                raise ParameterError(
                    f"Invalid parameter {first!r} for estimator {type(self).__name__}. "
                    f"Valid parameters are: {', '.join(known)}."
                )
            if rest:
                nested.setdefault(first, {})[rest] = value
            else:
                setattr(self, first, value)
        for first, inner in nested.items():
            getattr(self, first).set_params(**inner)
        return self

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, default in self._defaults().items()
            if not _same(getattr(self, name, default), default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        from html import escape

        model = getattr(self, "model_", None)
        fitted = self._fitted_html() if model is None else model._repr_html_()
        return f"<code>{escape(repr(self))}</code>{fitted}"

    def _fitted_html(self) -> str:
        """Return what the fit came to as a table; nothing before it."""
        from html import escape

        labels = getattr(self, "classes_", None)
        if labels is None:
            return ""
        first = ", ".join(map(str, list(labels)[:_LISTED]))
        facts = {f"{len(labels)} tags": first + (", …" if len(labels) > _LISTED else "")}
        if hasattr(self, "n_iter_"):
            facts["iterations"] = f"{int(self.n_iter_):,}"
        if hasattr(self, "optimality_"):
            facts["optimality"] = f"{self.optimality_:.3g}"
        left = 'style="text-align:left"'
        rows = (
            f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(value)}</td></tr>"
            for name, value in facts.items()
        )
        return f"<table>{''.join(rows)}</table>"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def clone(estimator: Any) -> Any:
    """Return an estimator with the same parameters that is not fitted.

    Examples
    --------
    >>> import linnet
    >>> clone(linnet.CRF(C=2.0))
    CRF(C=2.0)
    """
    if hasattr(estimator, "__sklearn_clone__"):
        return estimator.__sklearn_clone__()
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        return copy.deepcopy(estimator)
    params = estimator.get_params(deep=False)
    return type(estimator)(**{name: clone(value) for name, value in params.items()})
