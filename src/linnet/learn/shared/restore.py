"""A fit that fails must not leave half a model behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def restored_on_error(estimator: object) -> Iterator[None]:
    """Give the estimator its attributes back if the body fails or is interrupted.

    The body must set new arrays, or undo what it changes in old ones itself. Without this a refused
    second ``fit`` could leave the new number of features beside the old weights. Numbers drawn
    from a ``random_state`` are given back, too: the next call draws them again.

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
    random = before.get("random_state")
    generators = [random] if isinstance(random, np.random.RandomState) else []
    states = [generator.get_state() for generator in generators]
    try:
        yield
    except BaseException:
        for generator, state in zip(generators, states, strict=True):
            generator.set_state(state)
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise
