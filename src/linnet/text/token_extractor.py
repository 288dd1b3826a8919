"""A fitted extractor of token features: columns in, rows out. NumPy and the core are all it needs.

:class:`~linnet.text.token_features.TokenFeatures` fits one; a saved tagger is one with weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.text.gazetteers import Gazetteers
from linnet.text.names import Names
from linnet.text.packed_names import pack_names, unpack_names, unpack_table
from linnet.text.stored import checked_table
from linnet.text.texts import as_list, as_texts
from linnet.text.token_templates import Template

__all__ = ["Function", "TokenExtractor", "TokenRows", "checked_tokens"]

#: From the tokens of a sentence and a place in it to the names of the features there.
Function = Callable[[list[Any], int], Any]


class TokenRows(NamedTuple):
    """Token i has the features ``index[start[i]:start[i + 1]]``, ascending, each of value 1.

    Attributes that users make themselves come in any order, and with values.
    """

    start: NDArray[np.int64]
    index: NDArray[np.int32]  # type: ignore[assignment]  # a tuple has a method of this name
    n_features: int
    value: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class TokenExtractor:
    """Templates and the vocabulary of their features as a table of fingerprints.

    A `function` stands in place of templates where features are made by Python.
    """

    templates: tuple[Template, ...]
    n_columns: int
    names: Names
    slots: NDArray[np.uint64]
    prints: NDArray[np.uint64]
    seed: int = 0
    gazetteers: Gazetteers | None = None
    function: Function | None = None

    @property
    def n_features(self) -> int:
        """The number of different features."""
        return len(self.names)

    def rows(self, columns: Sequence[Any], sentence: Any, threads: int) -> TokenRows:
        """Return the features of tokens; those that are not in the vocabulary are dropped.

        Parameters
        ----------
        columns : list of TextColumn or of lists of str
            Words, part-of-speech tags, ...: each has one entry a token.
        sentence : int64 array of shape (sentences + 1,)
            Where sentences begin; the number of tokens comes last.
        threads : int
        """
        if len(columns) != self.n_columns:
            raise DataError(
                f"The features were learned from tokens of {self.n_columns} columns, but these "
                f"have {len(columns)}."
            )
        if self.function is not None:
            return self._python_rows(columns, sentence)
        views, offset = checked_tokens(columns, sentence)
        templates = ready_templates(self.templates, self.n_columns, self.seed, self.gazetteers)
        rows = _core.read_token_rows(views, offset, templates, self.slots, self.prints, threads)
        start, index = np.empty(offset[-1] + 1, np.int64), np.empty(rows.stored, np.int32)
        rows.matrix(start, index, threads)
        return TokenRows(start, index, self.n_features)

    def take(self, features: NDArray[np.int64]) -> TokenExtractor:
        """Return the extractor of some features, ascending, numbered anew."""
        names, prints = self.names.take(features), self.prints
        if self.function is not None:
            return replace(self, names=names)
        prints, slots = prints[features], np.empty(_core.table_capacity(len(names)), np.uint64)
        _core.fill_table(prints, slots)
        return replace(self, names=names, prints=prints, slots=slots)

    def _python_rows(self, columns: Sequence[Any], sentence: Any) -> TokenRows:
        assert self.function is not None
        known = {name: column for column, name in enumerate(self.names.tolist())}
        start, index = [0], list[int]()
        for features in called(self.function, columns, sentence):
            index += sorted(known[name] for name in features if name in known)
            start.append(len(index))
        return TokenRows(np.array(start, np.int64), np.array(index, np.int32), self.n_features)

    def to_file(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return plain values and arrays for a model file."""
        if self.function is not None:
            raise ParameterError(
                "Features that a Python function makes cannot be stored in a model file; use a "
                "named set, a list of templates or a CRF++ template file."
            )
        config: dict[str, Any] = {
            "templates": [template.to_config() for template in self.templates],
            "n_columns": self.n_columns,
            "seed": self.seed,
            "gazetteers": None,
        }
        arrays: dict[str, NDArray[Any]] = {"names_packed": pack_names(self.names)}
        if self.gazetteers is not None:
            config["gazetteers"], more = self.gazetteers.to_file()
            arrays |= more
        return config, arrays

    @classmethod
    def from_file(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> TokenExtractor:
        """Check what a model file holds and return the extractor."""
        try:
            seed, n_columns, stored = config["seed"], config["n_columns"], config["gazetteers"]
            templates = tuple(Template.from_config(entry) for entry in config["templates"])
            if type(seed) is not int or type(n_columns) is not int or not 0 <= seed < 2**63:
                raise ValueError("the seed or the number of columns is wrong")
            for template in templates:
                template.check(n_columns)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"The token features cannot be used: {error}") from None
        if "names" not in arrays:
            names, slots, prints = unpack_table(arrays, "names", seed)
        else:  # a file of format 2 has all three as they are
            names = unpack_names(arrays, "names")
            slots, prints = checked_table(arrays, "slots", "prints", len(names), "the vocabulary")
        lists = None if stored is None else Gazetteers.from_file(stored, arrays)
        if lists is None and any(template.gazetteer for template in templates):
            raise DataError("The token features cannot be used: their gazetteers are missing.")
        return cls(templates, n_columns, names, slots, prints, seed, lists)


def ready_templates(
    templates: Sequence[Template], n_columns: int, seed: int, gazetteers: Gazetteers | None
) -> _core.TokenTemplates:
    """Return templates for the core."""
    plans = [template.plan() for template in templates]
    if gazetteers is None:
        return _core.TokenTemplates(plans, n_columns, seed)
    return _core.TokenTemplates(
        plans, n_columns, seed, list(gazetteers.names), gazetteers.slots, gazetteers.prints,
        gazetteers.masks, gazetteers.longest,
    )  # fmt: skip


def checked_tokens(
    columns: Sequence[Any], sentence: Any
) -> tuple[list[_core.Texts], NDArray[np.int64]]:
    """Return the columns and sentences of tokens as the core reads them.

    Raises
    ------
    DataError
        When the columns differ in length or the sentences do not fit them.

    Examples
    --------
    >>> views, offset = checked_tokens([["He", "ran"]], [0, 2])
    >>> len(views), offset.tolist()
    (1, [0, 2])
    """
    if isinstance(columns, (str, bytes)) or not len(columns):
        raise DataError("Expected a list of columns, such as [words] or [words, tags].")
    views = []
    for number, column in enumerate(columns):
        try:
            views.append(as_texts(column))
        except DataError as error:
            raise DataError(f"Column {number}: {error}") from None
    for number, view in enumerate(views):
        if len(view) != len(views[0]):
            raise DataError(
                f"Column {number} has {len(view)} tokens, but column 0 has {len(views[0])}."
            )
    try:
        starts = np.asarray(sentence)
        offset = np.ascontiguousarray(starts, dtype=np.int64)
        whole = starts.dtype.kind in "iu" or not starts.size
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole or offset.ndim != 1 or not len(offset):
        raise DataError("sentence must be an array of whole numbers: where each sentence begins.")
    if offset[0] != 0 or offset[-1] != len(views[0]) or bool((np.diff(offset) < 0).any()):
        raise DataError(
            f"sentence must ascend from 0 to the number of tokens, which is {len(views[0])}."
        )
    return views, offset


def called(function: Function, columns: Sequence[Any], sentence: Any) -> Iterator[set[str]]:
    """Yield the features that a function gives each token; a token of one column is a str."""
    _, offset = checked_tokens(columns, sentence)
    lists = [as_list(column) for column in columns]
    tokens: list[Any] = lists[0] if len(lists) == 1 else list(zip(*lists, strict=True))
    for first, last in pairwise(offset.tolist()):
        sentence_tokens = tokens[first:last]
        for place in range(last - first):
            features = function(sentence_tokens, place)
            try:
                names = {name for name in features if _is_name(name)}
                whole = not isinstance(features, str) and len(names) == len(set(features))
            except TypeError:
                whole = False
            if not whole:
                raise DataError(
                    f"The feature function must give a list of str, but gave {features!r} for "
                    f"token {first + place}."
                )
            yield names


def _is_name(name: Any) -> bool:
    try:
        return isinstance(name, str) and name.encode() is not None
    except UnicodeEncodeError:
        return False
