"""What to look at in a text, as plain values: they fit into a model file as they are."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.text.patterns import check_pattern

__all__ = ["TOKENIZERS", "Settings"]

TOKENIZERS = ("word", "token", "whitespace", "unicode", "char", "char_wb")
_NUL = "\0"
_CHOICES: dict[str, tuple[str, ...]] = {
    "tokenizer": (*TOKENIZERS, "regex"),
    "accents": ("keep", "unicode", "ascii"),
    "count": ("plain", "binary", "logarithm"),
    "norm": ("none", "l1", "l2"),
    "hash": ("spelling", "print"),
}


@dataclass(frozen=True)
class Settings:
    """Everything that says which features a text has and what their values are.

    ``tokenizer`` is one of ``TOKENIZERS``, or "regex" with its ``pattern``, or "custom" when
    tokens come from a Python function. ``buckets`` is 0 for a vocabulary. ``count`` is "plain",
    "binary" or "logarithm". ``hash`` says what buckets are told by: the spelling of a feature, as
    in scikit-learn, or its fingerprint, which is faster.
    """

    tokenizer: str = "word"
    pattern: str = ""
    ngrams: tuple[int, int] = (1, 1)
    skip: int = 0
    lowercase: bool = True
    accents: str = "keep"
    digits: bool = False
    html: bool = False
    stop_words: tuple[str, ...] = ()
    buckets: int = 0
    signs: bool = True
    unknown: bool = False
    count: str = "plain"
    norm: str = "none"
    hash: str = "spelling"

    def analysis(self, seed: int = 0) -> _core.Analysis:
        """Return the same for the core."""
        presplit = self.tokenizer in ("regex", "custom")
        return _core.Analysis(
            tokenizer="split" if presplit else self.tokenizer,
            shortest=self.ngrams[0],
            longest=self.ngrams[1],
            skip=self.skip,
            lowercase=self.lowercase and not presplit,
            accents="keep" if presplit else self.accents,
            digits=self.digits and not presplit,
            html=self.html and not presplit,
            seed=seed,
            stop_words=list(self.stop_words),
        )

    def normalised(self, text: str) -> tuple[str, list[int]]:
        """Return the text that tokens are cut from, and the raw byte behind each of its bytes."""
        raw, origin = _core.normalise(text, self.lowercase, self.accents, self.digits, self.html)
        return raw.decode(), origin

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the pattern finds tokens in a normalised text (its group, if it has one)."""
        compiled = re.compile(self.pattern)
        group = min(compiled.groups, 1)
        spans = (match.span(group) for match in compiled.finditer(text))
        return [(begin, end) for begin, end in spans if begin < end]  # empty: no token

    def joined(self, tokens: list[str]) -> str:
        """Return tokens made by Python, none empty, in the form that the core splits again."""
        for token in tokens:
            if not isinstance(token, str):
                raise DataError(f"The tokenizer must give a list of str, but gave {token!r}.")
            if _NUL in token:
                raise DataError(
                    f"The token {token!r} holds the character NUL; let the tokenizer cut there."
                )
            if self.ngrams[1] > 1 and " " in token:
                raise DataError(
                    f"The token {token!r} holds a space, which separates the tokens of an n-gram; "
                    "let the tokenizer cut there or write it otherwise, or use ngrams=(1, 1)."
                )
        return _NUL.join(tokens)

    def to_config(self) -> dict[str, Any]:
        """Return plain values for a model file.

        Examples
        --------
        >>> Settings.from_config(Settings(ngrams=(1, 2)).to_config()) == Settings(ngrams=(1, 2))
        True
        """
        if self.tokenizer == "custom":
            raise ParameterError(
                "A tokenizer that is a Python function cannot be stored in a model file; "
                "use a regular expression."
            )
        try:
            check_pattern(self.pattern)
        except DataError as error:
            raise ParameterError(f"A model file cannot hold its tokenizer: {error}.") from None
        config = asdict(self)
        if self.hash == "spelling":  # as it was before there was a choice
            del config["hash"]
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Settings:
        """Check the values of a model file and return the settings."""
        try:
            low, high = config["ngrams"]
            settings = cls(
                **{
                    **config,
                    "ngrams": (int(low), int(high)),
                    "stop_words": tuple(map(str, config["stop_words"])),
                }
            )
            settings.analysis()
            check_pattern(settings.pattern)
            re.compile(settings.pattern)
            for name, allowed in _CHOICES.items():
                if getattr(settings, name) not in allowed:
                    raise ValueError(f"{name} cannot be {getattr(settings, name)!r}")
            if not 0 <= settings.buckets < 2**31:
                raise ValueError(f"the number of hash buckets cannot be {settings.buckets!r}")
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError, re.error) as error:
            raise DataError(f"The text settings cannot be used: {error}.") from None
        return settings
