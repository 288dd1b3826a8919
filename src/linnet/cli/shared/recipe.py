"""A training run as a file: ``train --config`` reads it, ``inspect --recipe`` writes it.

A recipe is what the model depends on: the options that are not as by default, in TOML by their
names without dashes, and what identifies the data. It is kept in the record of the model, so that
a model alone says how to train it again, bit for bit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linnet.cli.shared.console import file_size
from linnet.cli.shared.hints import did_you_mean
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from linnet.cli.shared.options import Option, Options

__all__ = ["check_same_data", "config_values", "in_toml", "recipe_of"]

#: What a model does not depend on: where it goes, and how it is measured and waited for.
_ASIDE = {"output", "config", "valid", "keep", "force", "threads", "resume", "cache"}
_TRAINED = "trained"  # the table of what came of a recipe; the rest are options
_LARGE = {"stream", "continue"}  # whose data are too large to be read once more


def config_values(path: Any, options: Mapping[str, Option]) -> dict[str, Any]:
    """Return the values that a file gives to options, by the names of the parameters.

    Parameters
    ----------
    path : path-like
        A TOML file. Keys are options without their dashes, ``_`` for ``-`` is taken too, and
        ``data`` is the argument. A table ``[set]`` gives the parameters of the learner, and
        ``[column]`` what columns hold.
    options : dict
        The options of the verb by the names of their parameters.
    """
    keys = {_key(about): name for name, about in options.items() if _key(about) != "config"}
    values: dict[str, Any] = {}
    for written, value in _parsed(path).items():
        key = written.replace("_", "-")
        if key == _TRAINED:
            continue
        if key not in keys:
            near = did_you_mean(key, keys) or f"; there are {', '.join(sorted(keys))}"
            raise ParameterError(f"{path}: train has no option {written!r}{near}")
        several = key in ("set", "ignore", "column")
        if key == "set" and isinstance(value, dict):
            value = [f"{name}={json.dumps(one)}" for name, one in value.items()]
        if key == "column" and isinstance(value, dict):
            value = [f"{name}={held}" for name, held in value.items()]
        if isinstance(value, dict) or isinstance(value, list) != several:
            wanted = "a list of texts" if several else "one value"
            raise ParameterError(f"{path}: {written} must be {wanted}, got {value!r}")
        values[keys[key]] = value
    return values


def _key(about: Option) -> str:
    """Return what an option is called in a file.

    Examples
    --------
    >>> from linnet.cli.shared.options import Option
    >>> _key(Option(["--output", "-o"], "FILE", "")), _key(Option([], "DATA", ""))
    ('output', 'data')
    """
    return about.names[0].lstrip("-") if about.names else (about.metavar or "").lower()


def _parsed(path: Any) -> dict[str, Any]:
    from tomllib import TOMLDecodeError, load

    with open(path, "rb") as file:
        try:
            return load(file)
        except (TOMLDecodeError, UnicodeDecodeError) as error:
            raise DataError(f"{path} is not TOML: {error}") from error


def recipe_of(data: str, *groups: Options) -> dict[str, Any]:
    """Return what trains a model again: options, what the data are, and the version."""
    from linnet import __version__
    from linnet.cli.shared.options import asked_for

    options: dict[str, Any] = {"data": _readable(data), "seed": 0}
    for group in groups:
        for name, value in asked_for(group).items():
            if name.lstrip("-") not in _ASIDE:
                options[name.lstrip("-")] = str(value) if isinstance(value, Path) else value
    identity = _identity(data, hashed=_LARGE.isdisjoint(options))
    return {"options": options, "data": identity, "linnet": __version__}


def _readable(name: str) -> str:
    """Return the name of a file as text, whatever its bytes are."""
    return os.fsencode(name).decode("utf-8", "replace")


def _identity(data: str, hashed: bool) -> dict[str, Any]:
    """Return size and SHA-256 of a file; of anything else nothing."""
    from hashlib import file_digest

    if not Path(data).is_file():
        return {}
    identity: dict[str, Any] = {"bytes": file_size(data)}
    if hashed:
        with open(data, "rb") as file:
            identity["sha256"] = file_digest(file, "sha256").hexdigest()
    return identity


def check_same_data(config: Path | None, recipe: dict[str, Any]) -> None:
    """Warn when a file of settings was written for other data under the same name."""
    from warnings import warn

    from linnet.errors import DataWarning

    if config is None:
        return
    values = _parsed(config)
    before = values.get(_TRAINED, {})
    data = recipe["options"]["data"]
    if data != values.get("data") or not isinstance(before, dict) or "sha256" not in before:
        return
    if recipe["data"].get("sha256") != before["sha256"]:
        warn(
            f"{data} is not what {config} was written for: another model will come of it",
            DataWarning,
            stacklevel=2,
        )


def in_toml(recipe: Mapping[str, Any], model: str) -> str:
    """Return a recipe as a file that ``linnet train --config`` reads.

    Examples
    --------
    >>> options = {"data": "a.tsv", "seed": 0, "set": ["k=3"], "C": "0.5"}
    >>> print(in_toml({"options": options, "data": {"bytes": 20}, "linnet": "1.0"}, "a.linnet"))
    # How a.linnet was trained; linnet train --config FILE does it again.
    data = "a.tsv"
    seed = 0
    set = ["k=3"]
    C = "0.5"
    <BLANKLINE>
    [trained]  # what it was trained on and by, which is compared
    linnet = "1.0"
    bytes = 20
    """
    lines = [f"# How {_plain(model)} was trained; linnet train --config FILE does it again."]
    if "interrupted" in recipe:
        lines.append(f"# It was interrupted: {_plain(str(recipe['interrupted']))}.")
    lines += _pairs(recipe["options"])
    lines += ["", f"[{_TRAINED}]  # what it was trained on and by, which is compared"]
    facts = {"linnet": recipe.get("linnet", ""), **recipe.get("data", {})}
    return "\n".join([*lines, *_pairs(facts)])


def _pairs(values: Mapping[str, Any]) -> list[str]:
    return [f"{_name(name)} = {_value(value)}" for name, value in values.items()]


def _plain(text: str) -> str:
    """Return a text for a comment: one line."""
    return "".join(mark if mark.isprintable() else "?" for mark in text)


def _name(name: str) -> str:
    return name if name.replace("-", "").isalnum() and name.isascii() else _value(name)


def _value(value: Any) -> str:
    """Return a value in TOML, whose texts, numbers, truths and lists are those of JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")
