"""The options of ``linnet train`` that say who learns, and from what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linnet.cli.shared.console import choose
from linnet.cli.shared.options import (
    CLUSTER,
    COLUMN,
    FEATURES,
    FORCE,
    INPUT,
    LEARNER,
    OUTPUT,
    SEED,
    THREADS,
    Options,
    option,
    parse_columns,
    parse_ngrams,
    parse_settings,
    parse_strength,
)
from linnet.cli.shared.recipe import config_values
from linnet.errors import ParameterError

__all__ = ["Training"]


class Training(Options):
    """Who learns, and from what."""

    config: Path | None = option(
        "--config FILE",
        "TOML with options by their names, and data; the command line goes first.",
        INPUT,
        fills=config_values,
    )
    output: Path | None = option("--output -o MODEL", "Default: DATA's stem + .linnet.", OUTPUT)
    learner: str | None = option(
        "--learner NAME",
        "Such as svm, maxent, nb, tree or memory, or for sequences crf, hmm or perceptron; any "
        "learner by its class or short name; or your own, package.module:Class.",
        LEARNER,
    )
    settings: list[str] | None = option(
        "--set NAME=VALUE", "A parameter of the learner, such as k=5.", LEARNER
    )
    ignore: list[str] | None = option(
        "--ignore COLUMN", "Rows: a column not to read, or none.", INPUT
    )
    ngrams: str | None = option("--ngrams N,M", "1,2 for words; char:2-5 for characters.", FEATURES)
    tokenizer: str | None = option(
        "--tokenizer NAME", "token, word, whitespace, unicode, char or char_wb.", FEATURES
    )
    min_df: int | None = option("--min-df N", "Leave out features of fewer texts.", FEATURES, min=1)
    features: str | None = option(
        "--features BLOCKS|SET|FILE",
        "Texts: words, or blocks such as words:1-2,char_wb:2-5. Sequences: a feature set or CRF++ "
        "template.",
        FEATURES,
    )
    column: list[str] | None = COLUMN
    constraints: str | None = option(
        "--constraints SCHEME", "Sequences: auto, iob2, bioes, ... or none.", LEARNER
    )
    strength: str | None = option(
        "-C auto|NUMBER", "Weight of the loss; auto tries several.", LEARNER
    )
    hashing: int | None = option(
        "--hashing BITS", "2^BITS buckets, no vocabulary.", FEATURES, min=1, max=30
    )
    class_weight: str | None = option(
        "--class-weight balanced", "Rare labels count for more.", LEARNER
    )
    abstain: float | None = option(
        "--abstain P", "No label below probability P.", LEARNER, min=0, max=1
    )
    dtype: str = option("--dtype NAME", "Weights: float32, or float16 for half.", OUTPUT, "float32")
    max_features: int | None = option(
        "--max-features N", "Keep the N strongest features.", OUTPUT, min=1
    )
    prune: bool = option(
        "--prune", "Leave out weights that held-out examples do not need.", OUTPUT, False
    )
    valid: str | None = option("--valid FILE", "Labelled file to measure the model on.", INPUT)
    holdout: float | None = option(
        "--holdout SHARE", "Measure on this share of DATA.", INPUT, min=0, max=0.9
    )
    cache: Path | None = option(
        "--cache DIR", "Keep features on disk here: for more texts than memory holds.", INPUT
    )
    cluster: str | None = CLUSTER
    keep: bool = option(
        "--keep", "On Ctrl-C write what was learned so far; twice stops at once.", OUTPUT, False
    )
    force: bool = FORCE
    seed: int = SEED
    threads: int | None = THREADS

    def __post_init__(self) -> None:
        choose(self.dtype, ("float16", "float32"), "--dtype")
        if self.class_weight is not None:
            choose(self.class_weight, ("balanced",), "--class-weight")
        if self.valid is not None and self.holdout:
            raise ParameterError("give --valid or --holdout, not both")
        if self.cache is not None and self.holdout:
            raise ParameterError("--cache takes all of DATA; measure on another file with --valid")
        if self.cluster is not None and (self.holdout or self.cache is not None):
            raise ParameterError(
                "workers of a --cluster read DATA, all of it; leave --cache out, and measure on "
                "another file with --valid"
            )
        if self.cache is not None and self.cache.is_file():
            raise ParameterError(f"--cache keeps features in a folder, and {self.cache} is a file")
        if self.hashing is not None and self.max_features is not None:
            raise ParameterError("--max-features needs names to choose from; drop --hashing")
        parse_ngrams(
            self.ngrams, self.tokenizer
        )  # what is misspelt is told before anything is read
        parse_strength(self.strength)
        parse_settings(self.settings)
        if self.column:
            from linnet.model.readers.column_values import column_kinds

            column_kinds(self.columns)

    @property
    def columns(self) -> dict[str, str]:
        """What the columns hold that are looked at, where there are several."""
        return parse_columns(self.column)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of a classifier."""
        named: dict[str, Any] = {
            name: getattr(self, name) for name in ("min_df", "hashing", "abstain")
        }
        named |= parse_ngrams(self.ngrams, self.tokenizer) | {"C": parse_strength(self.strength)}
        named["prune"] = "auto" if self.prune else None
        return {name: value for name, value in named.items() if value is not None}

    @property
    def learner_settings(self) -> dict[str, Any]:
        """The parameters of the learner."""
        return parse_settings(self.settings)

    @property
    def shrinks(self) -> bool:
        """Whether the file holds less than the model, so that there is a cost to measure."""
        return self.dtype == "float16" or self.max_features is not None
