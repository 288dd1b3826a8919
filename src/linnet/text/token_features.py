"""Tokens to feature rows: named feature sets, templates, CRF++ files, or a function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.data.columns import TextColumn
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.estimator import Estimator
from linnet.text.feature_sets import FEATURE_SETS, feature_set
from linnet.text.gazetteers import Gazetteers, phrase_masks
from linnet.text.names import Names
from linnet.text.token_extractor import (
    Function,
    TokenExtractor,
    TokenRows,
    called,
    checked_tokens,
    ready_templates,
)
from linnet.text.token_templates import Template, of_macro, parse_template
from linnet.threads import thread_count

__all__ = ["TokenFeatures", "columns_of"]

_SEEDS = range(16)


class TokenFeatures(Estimator):
    """Turn the tokens of sentences into rows of features, natively and on all cores.

    Parameters
    ----------
    features : str, path, list or callable, default="auto"
        - "crfsuite_chunking", "chunking", "pos", "ner": the named sets, see
          :func:`~linnet.text.feature_sets.feature_set`; "auto" is "chunking" for tokens with a
          second column and "pos" for words alone;
        - the path of a CRF++ template file;
        - a list of templates such as "w[-1]|w[0]", see :mod:`~linnet.text.token_templates`, of
          lines of such a file, or of both;
        - a function from the tokens of a sentence and a place in it to a list of feature names:
          slow, because Python does it, and not for model files. A token is a str, or a tuple where
          there are several columns.
    min_count : int, default=1
        Keep features that so many tokens have at least.
    outside : {"omit", "marker"}, default="omit"
        What becomes of a template that looks beyond the ends of a sentence: there is no feature, or
        the place is ``_B-1``, ``_B+1`` and so on. CRF++ templates always have the markers.
    gazetteers : dict, optional
        From names to lists of phrases of up to five tokens, for ``w.gazetteer[0]``, which "ner"
        has.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.

    Attributes
    ----------
    extractor_ : TokenExtractor
        What was fitted, in the form that model files hold.
    count_ : int64 array of shape (features,)
        How many tokens have each feature.
    transitions_ : bool
        Whether label pairs have weights: not if there are lines of CRF++, but none of them is B.

    Examples
    --------
    >>> columns, sentence = columns_of([["the", "cat"], ["sat"]])
    >>> features = TokenFeatures(["w[0]", "w[-1]|w[0]"]).fit(columns, sentence)
    >>> features.get_feature_names_out().tolist()
    ['w[-1]|w[0]=the|cat', 'w[0]=cat', 'w[0]=sat', 'w[0]=the']
    >>> features.transform(columns, sentence).index.tolist()
    [3, 0, 1, 2]
    """

    extractor_: TokenExtractor
    count_: NDArray[np.int64]
    transitions_: bool

    def __init__(
        self,
        features: str | PathLike[str] | Sequence[Any] | Function = "auto",
        *,
        min_count: int = 1,
        outside: str = "omit",
        gazetteers: Mapping[str, Iterable[Any]] | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.features = features
        self.min_count = min_count
        self.outside = outside
        self.gazetteers = gazetteers
        self.n_threads = n_threads

    def fit(self, columns: Sequence[Any], sentence: Any) -> Self:
        """Learn which features there are.

        Parameters
        ----------
        columns : list of TextColumn or of lists of str
            Words, part-of-speech tags, ...: each has one entry a token.
        sentence : int64 array of shape (sentences + 1,)
            Where sentences begin; the number of tokens comes last.
        """
        least, threads = self._min_count(), thread_count(self.n_threads)
        views, offset = checked_tokens(columns, sentence)
        if not len(views[0]):
            raise DataError("There are no tokens; at least one is needed.")
        if callable(self.features):
            extractor, count = _learn_called(self.features, columns, offset, least)
            transitions = True
        else:
            templates, transitions = self._templates(len(views))
            extractor, count = self._learn(templates, views, offset, least, threads)
        if not extractor.n_features:
            raise DataError(
                f"No feature occurs at {least} tokens; try a lower min_count or other templates."
            )
        self.extractor_, self.count_, self.transitions_ = extractor, count, transitions
        return self

    def transform(self, columns: Sequence[Any], sentence: Any) -> TokenRows:
        """Return the features of tokens; those not seen in fit are dropped."""
        return self._fitted().rows(columns, sentence, thread_count(self.n_threads))

    def fit_transform(self, columns: Sequence[Any], sentence: Any) -> TokenRows:
        """Learn which features there are and return those of the same tokens."""
        return self.fit(columns, sentence).transform(columns, sentence)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the features."""
        return np.array(self._fitted().names.tolist(), dtype=object)

    def _fitted(self) -> TokenExtractor:
        if not hasattr(self, "extractor_"):
            raise NotFittedError("This TokenFeatures is not fitted yet; call fit with tokens.")
        return self.extractor_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "extractor_")

    def _min_count(self) -> int:
        try:
            least = 0 if isinstance(self.min_count, bool) else index(self.min_count)
        except TypeError:
            least = 0
        if not 1 <= least < 2**62:
            raise ParameterError(f"min_count must be a positive integer, got {self.min_count!r}.")
        return least

    def _templates(self, n_columns: int) -> tuple[tuple[Template, ...], bool]:
        """Return the templates, and whether label pairs have weights."""
        if self.outside not in ("omit", "marker"):
            raise ParameterError(f"outside must be 'omit' or 'marker', got {self.outside!r}.")
        macros: list[Any] = []
        templates: list[Template] = []
        for item in _items(self.features, n_columns, gazetteers=bool(self.gazetteers)):
            if isinstance(item, str):
                templates.append(parse_template(item, markers=self.outside == "marker"))
            elif isinstance(item, Template):
                templates.append(item)
            else:
                macros.append(item)
                template = of_macro(item)
                templates += [] if template is None else [template]
        if not templates:
            raise ParameterError("There are no templates; pass one at least, such as 'w[0]'.")
        for template in templates:
            template.check(n_columns)
        asking = next((template for template in templates if template.gazetteer), None)
        if asking is not None and not self.gazetteers:
            raise ParameterError(f"The template {asking.name!r} needs gazetteers; pass some.")
        if asking is None and self.gazetteers:
            raise ParameterError(
                "No template looks at the gazetteers; use features='ner', or add 'w.gazetteer[0]'."
            )
        return tuple(templates), not macros or any(macro.kind == "B" for macro in macros)

    def _learn(
        self,
        templates: tuple[Template, ...],
        views: list[_core.Texts],
        offset: NDArray[np.int64],
        least: int,
        threads: int,
    ) -> tuple[TokenExtractor, NDArray[np.int64]]:
        """Count the features; should two have one fingerprint, another seed tells them apart."""
        names, masks = phrase_masks(self.gazetteers or {})
        for seed in _SEEDS:
            lists = Gazetteers.of(names, masks, seed) if names else None
            if names and lists is None:
                continue
            ready = ready_templates(templates, len(views), seed, lists)
            counts = _core.count_token_features(views, offset, ready, least, threads)
            data, ends = np.empty(counts.spelled, np.uint8), np.empty(counts.columns + 1, np.int64)
            prints, count = np.empty(counts.columns, np.uint64), np.empty(counts.columns, np.int64)
            counts.write(data, ends, prints, count)
            slots = np.empty(_core.table_capacity(counts.columns), np.uint64)
            if not counts.collided and _core.fill_table(prints, slots) < 0:
                vocabulary = Names(data, ends)
                extractor = TokenExtractor(
                    templates, len(views), vocabulary, slots, prints, seed, lists
                )
                return extractor, count
        raise DataError("The features cannot be told apart by any seed of their fingerprints.")


def columns_of(sentences: Iterable[Sequence[Any]]) -> tuple[list[TextColumn], NDArray[np.int64]]:
    """Return the columns of sentences and where each sentence begins.

    Parameters
    ----------
    sentences : list of lists of tokens
        A token is a str, or a tuple of the entries of its columns.

    Examples
    --------
    >>> columns, sentence = columns_of([[("He", "PRP"), ("ran", "VBD")], []])
    >>> [column.to_list() for column in columns], sentence.tolist()
    ([['He', 'ran'], ['PRP', 'VBD']], [0, 2, 2])
    """
    lists = list(sentences)
    offset = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(tokens) for tokens in lists], out=offset[1:])
    tokens = [token for tokens in lists for token in tokens]
    if not tokens or isinstance(tokens[0], str):
        return [TextColumn.from_strings(tokens)], offset
    width = len(tokens[0])
    for number, token in enumerate(tokens):
        if isinstance(token, str) or len(token) != width:
            raise DataError(
                f"Token {number} is {token!r}, but the first token has {width} columns; give all "
                "tokens the same number."
            )
    return [TextColumn.from_strings([token[c] for token in tokens]) for c in range(width)], offset


def _items(features: Any, n_columns: int, *, gazetteers: bool) -> list[Any]:
    """Return what the parameter asks for: template strings, templates and CRF++ macros."""
    if isinstance(features, str) and features in FEATURE_SETS:
        return list(feature_set(features, n_columns, gazetteers=gazetteers))
    if isinstance(features, (str, PathLike)):
        if not Path(fspath(features)).is_file():
            raise ParameterError(
                f"{fspath(features)!r} is neither a feature set nor a file; use one of "
                f"{', '.join(FEATURE_SETS)}, the path of a CRF++ template, or a list of templates."
            )
        from linnet.data.crfpp import read_template

        return list(read_template(features).macros)
    if not isinstance(features, Iterable):
        raise ParameterError(
            f"features must be a name, a path, a list or a function: {features!r}."
        )
    items: list[Any] = []
    for item in features:
        if isinstance(item, str) and ("%x[" in item or item == "B"):
            from linnet.data import crfpp

            items += crfpp.parse_template(item).macros
        elif isinstance(item, (str, Template)) or hasattr(item, "parts"):
            items.append(item)
        else:
            raise ParameterError(f"{item!r} is no template; write one such as 'w[-1]|w[0]'.")
    return items


def _learn_called(
    function: Function, columns: Sequence[Any], offset: NDArray[np.int64], least: int
) -> tuple[TokenExtractor, NDArray[np.int64]]:
    counter = Counter(name for features in called(function, columns, offset) for name in features)
    kept = sorted(name for name, count in counter.items() if count >= least)
    empty = np.empty(0, np.uint64)
    extractor = TokenExtractor((), len(columns), Names.of(kept), empty, empty, function=function)
    return extractor, np.array([counter[name] for name in kept], np.int64)
