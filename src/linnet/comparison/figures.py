"""Figures as readers want them: shares, p-values, seconds, sizes, settings."""

from __future__ import annotations

from typing import Any

__all__ = [
    "METRIC",
    "TEST",
    "duration",
    "p_value",
    "percent",
    "seconds",
    "setting",
    "settings",
    "size",
]

METRIC = {"accuracy": "accuracy", "chunk_f1": "chunk F1"}
TEST = {"mcnemar": "McNemar's test", "approximate_randomisation": "approximate randomisation"}


def percent(share: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.98765)
    '98.77 %'
    """
    return f"{100 * share:.2f} %"


def p_value(value: float) -> str:
    """Return a p-value, not more exact than anyone needs.

    Examples
    --------
    >>> p_value(0.0004), p_value(0.25)
    ('< 0.001', '0.250')
    """
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def seconds(value: float) -> str:
    """Return a time.

    Examples
    --------
    >>> seconds(1.234), seconds(123.4)
    ('1.23 s', '123 s')
    """
    return f"{value:.2f} s" if value < 100 else f"{value:.0f} s"


def duration(value: float) -> str:
    """Return a time, a short one in milliseconds.

    Examples
    --------
    >>> duration(0.0042), duration(0.52), duration(12.5)
    ('4.2 ms', '520 ms', '12.5 s')
    """
    if value < 1:
        return f"{1000 * value:.1f} ms" if value < 0.01 else f"{1000 * value:.0f} ms"
    return f"{value:.3g} s" if value < 100 else f"{value:.0f} s"


def size(n_bytes: float) -> str:
    """Return a number of bytes.

    Examples
    --------
    >>> size(640), size(2_500_000)
    ('640 B', '2.5 MB')
    """
    for unit in ("B", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} GB"


def setting(value: object) -> str:
    """Return the value of a parameter.

    Examples
    --------
    >>> setting(0.123456), setting(3)
    ('0.1235', '3')
    """
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def settings(parameters: dict[str, Any]) -> str:
    """Return the parameters that were chosen.

    Examples
    --------
    >>> settings({"C": 1.0, "max_iter": 10})
    'C 1, max_iter 10'
    """
    return ", ".join(f"{name} {setting(value)}" for name, value in parameters.items())
