"""A fit that fails must not leave half a model behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def restored_on_error(estimator: object) -> Iterator[None]:
    """Give the estimator its attributes back if the body fails or is interrupted.

    The body must set new arrays, not change old ones in place. Without this a refused second
    ``fit`` could leave the new number of features beside the old weights.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(coef_=[1.0])
    >>> try:
    ...     with restored_on_error(model):
    ...         model.coef_ = [2.0]
    ...         raise ValueError
    ... except ValueError:
    ...     print(model.coef_)
    [1.0]
    """
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise
