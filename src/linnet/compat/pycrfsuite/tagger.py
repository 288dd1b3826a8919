"""``pycrfsuite.Tagger`` over a linnet model: the same calls, answers and errors."""

from __future__ import annotations

import contextlib
import os
import struct
import sys
from typing import Any, TextIO

import numpy as np

from linnet.compat.pycrfsuite.sequences import as_items
from linnet.errors import DataError, LinnetError
from linnet.foreign import crfsuite, format_of
from linnet.foreign.bytes import mapped
from linnet.foreign.items import ItemTokens
from linnet.learn.chain import Chain
from linnet.model.model import Model

__all__ = ["ParsedDump", "Tagger"]

_HEADER = ("size", "version", "num_features", "num_labels", "num_attrs", "off_features",
           "off_labels", "off_attrs", "off_labelrefs", "off_attrrefs")  # fmt: skip


class ParsedDump:
    """What is inside a model.

    Attributes
    ----------
    transitions : dict of (label, next label) to weight
    state_features : dict of (attribute, label) to weight
    header, labels, attributes : dict
        Of the file; the numbers of labels and attributes. Numbers are texts here.
    """

    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.transitions: dict[tuple[str, str], float] = {}
        self.state_features: dict[tuple[str, str], float] = {}


class Tagger:
    """A tagger that CRFsuite has trained.

    Examples
    --------
    >>> path = str(getfixture("tmp_path") / "m.crfsuite")
    >>> from linnet.compat import pycrfsuite
    >>> trainer = pycrfsuite.Trainer(verbose=False)
    >>> for _ in range(3):
    ...     trainer.append([{"w": "the"}, {"w": "cat"}], ["D", "N"])
    >>> trainer.train(path)
    >>> with pycrfsuite.Tagger().open(path) as tagger:
    ...     tagger.tag([{"w": "the"}, {"w": "cat"}])
    ['D', 'N']
    """

    def __init__(self) -> None:
        self._model: Model | None = None
        self._head = b""
        self._tokens: ItemTokens | None = None
        self._table: tuple[Any, float] | None = None

    def open(self, name: str | os.PathLike[str]) -> contextlib.closing[Tagger]:
        """Open a model file; the result closes it at the end of a ``with``."""
        data = mapped(os.fspath(name))
        return self._opened(data, os.fspath(name), f"Invalid model file {os.fspath(name)!r}")

    def open_inmemory(self, value: bytes) -> contextlib.closing[Tagger]:
        """Open the bytes of a model file."""
        return self._opened(value, "<memory>", "Invalid model")

    def _opened(self, data: Any, file: str, wrong: str) -> contextlib.closing[Tagger]:
        if format_of(bytes(data[:4])) != "crfsuite":
            raise ValueError(wrong)
        try:
            self._model = crfsuite.read_bytes(data, file)
        except LinnetError as error:
            raise ValueError(f"{wrong}: {error}") from error
        self._head, self._tokens, self._table = bytes(data[:48]), None, None
        return contextlib.closing(self)

    def close(self) -> None:
        """Forget the model."""
        self._model = self._tokens = self._table = None

    def _open_model(self) -> Model:
        if self._model is None:
            raise ValueError("The tagger is not opened")
        return self._model

    def labels(self) -> list[str]:
        """Return the labels, by their numbers."""
        labels: list[str] = self._open_model().classes_.tolist()
        return labels

    def set(self, xseq: Any) -> None:
        """Take a sentence of items for the questions that follow."""
        model = self._open_model()
        try:
            self._tokens = model.reader.complete([as_items(xseq)])
        except DataError as error:
            raise TypeError(str(error)) from error
        self._table = None

    def tag(self, xseq: Any = None) -> list[str]:
        """Return the best labels of a sentence, or of the one that was set."""
        if xseq is not None:
            self.set(xseq)
        model, tokens = self._open_model(), self._sentence()
        labels = model.chain.decode(tokens.rows, tokens.offset, None, 1)
        tags: list[str] = model.classes_[labels].tolist()
        return tags

    def viterbi(self) -> list[str]:
        """Return the best labels of the sentence that was set."""
        return self.tag()

    def probability(self, yseq: Any) -> float:
        """Return P(labels | sentence) of the sentence that was set."""
        tokens, labels = self._sentence(), list(yseq)
        if len(labels) != tokens.n_tokens:
            raise ValueError(
                f"The numbers of items and labels differ: |x| = {tokens.n_tokens}, "
                f"|y| = {len(labels)}"
            )
        if not labels:
            return 0.0
        numbers = np.array([self._number(label) for label in labels], np.int32)
        return float(np.exp(self._chain().score(numbers)[0] - self._marginals()[1]))

    def marginal(self, y: str, pos: int) -> float:
        """Return P(label at a position | sentence) of the sentence that was set."""
        tokens = self._sentence()
        if not tokens.n_tokens:
            return 0.0
        number = self._number(y)
        if not 0 <= pos < tokens.n_tokens:
            raise ValueError(f"The position, {pos} is out of range of {tokens.n_tokens}")
        return float(self._marginals()[0][pos, number])

    def _sentence(self) -> ItemTokens:
        self._open_model()
        if self._tokens is None:
            self.set([])
        assert self._tokens is not None
        return self._tokens

    def _chain(self) -> Chain:
        tokens = self._sentence()
        chain: Chain = self._open_model().chain.over(tokens.rows, tokens.offset, 1)
        return chain

    def _marginals(self) -> tuple[Any, float]:
        """Return the marginals and ln Z, computed once for each sentence."""
        if self._table is None:
            table, log_z = self._chain().marginals()
            self._table = table, float(log_z[0])
        return self._table

    def _number(self, label: Any) -> int:
        labels = self.labels()
        if label not in labels:
            raise RuntimeError(f"Failed to convert into label identifier: {label}")
        return labels.index(label)

    def info(self) -> ParsedDump:
        """Return what is inside the model; weights have six decimals, as in a dump."""
        model, inside = self._dumped(), ParsedDump()
        labels = self.labels()
        inside.header = dict(self._header())
        inside.labels = {label: str(k) for k, label in enumerate(labels)}
        names = model.reader.names.tolist()
        inside.attributes = {name: str(j) for j, name in enumerate(names)}
        for before, after, weight in self._transitions():
            inside.transitions[labels[before], labels[after]] = float(f"{weight:f}")
        for name, label, weight in self._states():
            inside.state_features[names[name], labels[label]] = float(f"{weight:f}")
        return inside

    def dump(self, filename: str | None = None) -> None:
        """Write what is inside the model as text, to a file or to standard output."""
        self._dumped()
        if filename is None:
            self._dump(sys.stdout)
            return
        with open(filename, "w", encoding="utf-8") as out:
            self._dump(out)

    def _dump(self, out: TextIO) -> None:
        labels, names = self.labels(), self._open_model().reader.names.tolist()
        parts = {
            "FILEHEADER": [f"  {name}: {value}" for name, value in self._header()],
            "LABELS": [f"  {k:5d}: {label}" for k, label in enumerate(labels)],
            "ATTRIBUTES": [f"  {j:5d}: {name}" for j, name in enumerate(names)],
            "TRANSITIONS": [
                f"  (1) {labels[a]} --> {labels[b]}: {w:f}" for a, b, w in self._transitions()
            ],
            "STATE_FEATURES": [
                f"  (0) {names[j]} --> {labels[k]}: {w:f}" for j, k, w in self._states()
            ],
        }
        for title, lines in parts.items():
            out.write("\n".join([f"{title} = {{", *lines, "}", "", ""]))

    def _dumped(self) -> Model:
        if self._model is None:
            raise RuntimeError("Tagger is closed")
        return self._model

    def _header(self) -> list[tuple[str, str]]:
        numbers = struct.unpack("<4xI4x9I", self._head)
        values = dict(zip(_HEADER, numbers, strict=True))
        shown = {n: f"0x{v:X}" if n.startswith("off") else str(v) for n, v in values.items()}
        return [("magic", "lCRF"), ("size", shown.pop("size")), ("type", "FOMC"), *shown.items()]

    def _transitions(self) -> list[tuple[int, int, float]]:
        transition = self._open_model().chain.transition
        before, after = np.nonzero(transition)
        weights = transition[before, after].tolist()
        return list(zip(before.tolist(), after.tolist(), weights, strict=True))

    def _states(self) -> list[tuple[int, int, float]]:
        chain = self._open_model().chain
        owner = np.repeat(np.arange(chain.n_features), np.diff(chain.pair_start)).tolist()
        labels, weights = chain.pair_label.tolist(), chain.pair_weight.tolist()
        return list(zip(owner, labels, weights, strict=True))
