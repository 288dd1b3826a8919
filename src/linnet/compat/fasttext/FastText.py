"""The class of loaded models, where the original has it."""  # noqa: N999

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import LinnetError
from linnet.foreign import fasttext as _format
from linnet.foreign import format_of

__all__ = ["load_model", "tokenize"]


def load_model(path: str) -> _FastText:
    """Return the model of a ``.bin`` or ``.ftz`` file.

    Raises
    ------
    ValueError
        When there is no such file, or it is no classifier of fastText's.
    """
    return _FastText(path)


def tokenize(text: str) -> list[str]:
    """Return the words of a text, and the end of each line."""
    lines = text.split("\n")
    words = [[*line.translate(_SPACES).split(" "), "</s>"] for line in lines[:-1]]
    words.append(lines[-1].translate(_SPACES).split(" "))
    return [word for line in words for word in line if word]


_SPACES = str.maketrans(dict.fromkeys("\r\t\v\f\0", " "))


class _Engine:
    """What the original calls ``model.f``: pairs of probability and label, for lines."""

    def __init__(self, path: str) -> None:
        if not os.path.isfile(path):
            raise ValueError(f"{path} cannot be opened for loading!")
        with open(path, "rb") as raw:
            if format_of(raw.read(8)) != "fasttext":
                raise ValueError(f"{path} has wrong file format!")
        try:
            self.model = _format.read(path)
        except LinnetError as error:
            raise ValueError(f"{path} has wrong file format! {error}") from error
        self.path = path
        self.labels = [label.decode() for label in self.model.reader.raw_labels()]

    def predict(
        self, text: str, k: int, threshold: float, on_unicode_error: str = "strict"
    ) -> list[tuple[float, str]]:
        """Return (probability, label) of the first line of a text, best first."""
        labels, p = self.multilinePredict([text], k, threshold, on_unicode_error)
        return list(zip(p[0].tolist(), labels[0], strict=True))

    def multilinePredict(  # noqa: N802  (the original's name)
        self, texts: list[str], k: int, threshold: float, on_unicode_error: str = "strict"
    ) -> tuple[list[list[str]], list[NDArray[np.float32]]]:
        """Return the labels of texts and their probabilities, best first."""
        if k < 1 and k != -1:
            raise ValueError("k needs to be 1 or higher!")
        model, names = self.model, self.labels
        best, p, count = model.scorer.top(
            model.reader, [text.partition("\n")[0] for text in texts],
            len(names) if k == -1 else k, threshold, None,
        )  # fmt: skip
        if best.shape[1] == 1 and count.all():
            return [[names[label]] for label in best[:, 0].tolist()], list(p)
        labels = [[names[label] for label in row] for row in best.tolist()]
        sizes = count.tolist()
        return (
            [row[:n] for row, n in zip(labels, sizes, strict=True)],
            [row[:n] for row, n in zip(p, sizes, strict=True)],
        )


class _FastText:
    """A classifier of fastText's.

    Parameters
    ----------
    model_path : str
    """

    def __init__(self, model_path: str | None = None, args: Any = None) -> None:
        if model_path is None:
            raise ValueError("linnet runs models that are there; train with linnet.TextClassifier.")
        self.f = _Engine(str(model_path))
        self._words: list[str] | None = None

    def predict(
        self,
        text: str | list[str],
        k: int = 1,
        threshold: float = 0.0,
        on_unicode_error: str = "strict",
    ) -> tuple[Any, Any]:
        """Return the k best labels of a line and their probabilities, or those of each of a list.

        Of one line: a tuple, and an array of float64. Of a list: lists, and arrays of float32.
        """
        if isinstance(text, list):
            return self.f.multilinePredict(
                [_line(entry) for entry in text], k, threshold, on_unicode_error
            )
        pairs = self.f.predict(_line(text), k, threshold, on_unicode_error)
        return tuple(label for _, label in pairs), np.array([p for p, _ in pairs])

    def get_labels(self, include_freq: bool = False, on_unicode_error: str = "strict") -> Any:
        """Return the labels; with `include_freq` also how often each was there in training."""
        labels = list(self.f.labels)
        return (labels, self._counts()[len(self.words) :]) if include_freq else labels

    def get_words(self, include_freq: bool = False, on_unicode_error: str = "strict") -> Any:
        """Return the words; with `include_freq` also how often each was there in training."""
        words = list(self.words)
        return (words, self._counts()[: len(words)]) if include_freq else words

    def _counts(self) -> NDArray[np.int64]:
        return _format.entry_counts(self.f.path)

    @property
    def labels(self) -> list[str]:
        """The labels, with their prefix."""
        return self.get_labels()  # type: ignore[no-any-return]

    @property
    def words(self) -> list[str]:
        """The words of the dictionary."""
        if self._words is None:
            reader = self.f.model.reader
            self._words = reader.entries.tolist()[: reader.words]
        return self._words

    def get_word_id(self, word: str) -> int:
        """Return the number of a word, -1 if the dictionary does not have it."""
        return self.words.index(word) if word in self.words else -1

    def get_dimension(self) -> int:
        """Return the width of the matrices in the file."""
        return int(self.f.model.record_["dimensions"])

    def is_quantized(self) -> bool:
        """Tell whether the matrices in the file are quantised."""
        return bool(self.f.model.record_["quantised"])


def _line(text: str) -> str:
    if "\n" in text:
        raise ValueError("predict processes one line at a time (remove '\\n')")
    return text
