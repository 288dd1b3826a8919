"""``linnet train``: from a labelled file to a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from linnet.cli.console import (
    DelimiterOption,
    EncodingOption,
    ErrorsOption,
    FormatOption,
    JsonOption,
    LabelOption,
    LineOption,
    QuietOption,
    TextOption,
    ThreadsOption,
    choose,
)
from linnet.errors import ParameterError

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet train reviews.csv -o reviews.linnet[/bold] · "
    "[bold]linnet train intents.jsonl --learner maxent --ngrams char:2-5[/bold] · "
    "[bold]linnet train big.parquet --hashing 20 --dtype float16 --holdout 0.1[/bold] · "
    "[bold]linnet train chunks.conll -o chunker.linnet --learner crf -C 1[/bold] · "
    "[bold]linnet train dimin.train --learner memory --set k=3 --set metric=mvdm[/bold]"
)


def command(
    data: Annotated[str, typer.Argument(metavar="DATA", help="Labelled file; - is stdin.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="MODEL", help="Default: DATA's stem + .linnet."),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            "--learner",
            metavar="NAME",
            help="svm, maxent, nb, bernoulli, perceptron or mira; memory, tree, gaussian, parzen, "
            "kernel or kernel_perceptron; for sequences crf, hmm, memm, perceptron, mira, svm or "
            "local.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A parameter of the learner, such as k=5."
        ),
    ] = None,
    text: TextOption = None,
    label: LabelOption = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="COLUMN", help="Rows: a column not to read, or none."),
    ] = None,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = "utf-8",
    errors: ErrorsOption = "strict",
    max_line: LineOption = "64MB",
    ngrams: Annotated[
        str | None,
        typer.Option("--ngrams", metavar="N,M", help="1,2 for words; char:2-5 for characters."),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            "--tokenizer", metavar="NAME", help="token, word, whitespace, unicode, char or char_wb."
        ),
    ] = None,
    min_df: Annotated[
        int | None,
        typer.Option("--min-df", metavar="N", min=1, help="Leave out features of fewer texts."),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            "--features", metavar="SET|FILE", help="Sequences: a feature set or CRF++ template."
        ),
    ] = None,
    constraints: Annotated[
        str | None,
        typer.Option(
            "--constraints", metavar="SCHEME", help="Sequences: auto, iob2, bioes, ... or none."
        ),
    ] = None,
    strength: Annotated[
        str | None,
        typer.Option("-C", metavar="auto|NUMBER", help="Weight of the loss; auto tries several."),
    ] = None,
    hashing: Annotated[
        int | None,
        typer.Option(
            "--hashing", metavar="BITS", min=1, max=30, help="2^BITS buckets, no vocabulary."
        ),
    ] = None,
    class_weight: Annotated[
        str | None,
        typer.Option("--class-weight", metavar="balanced", help="Rare labels count for more."),
    ] = None,
    abstain: Annotated[
        float | None,
        typer.Option("--abstain", metavar="P", min=0, max=1, help="No label below probability P."),
    ] = None,
    dtype: Annotated[
        str, typer.Option("--dtype", metavar="NAME", help="Weights: float32, or float16 for half.")
    ] = "float32",
    max_features: Annotated[
        int | None,
        typer.Option("--max-features", metavar="N", min=1, help="Keep the N strongest features."),
    ] = None,
    valid: Annotated[
        str | None,
        typer.Option("--valid", metavar="FILE", help="Labelled file to measure the model on."),
    ] = None,
    holdout: Annotated[
        float | None,
        typer.Option(
            "--holdout", metavar="SHARE", min=0, max=0.9, help="Measure on this share of DATA."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of everything random.")] = 0,
    threads: ThreadsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Train a model on a labelled file: a classifier of texts or of rows, a tagger of sequences.

    Rows hold attribute values, symbols and numbers. Format, columns, separator and compression
    are found out and reported, and the format decides which of these it is. The model file holds
    everything needed to predict.
    """
    from linnet.cli import tag_training
    from linnet.cli.learners import parse_settings
    from linnet.cli.outputs import check_outputs
    from linnet.cli.rows import find_rows
    from linnet.cli.tagging import open_sequences, refuse
    from linnet.cli.tasks import TextTask
    from linnet.cli.training import Settings, parse_ngrams, parse_strength, run
    from linnet.data.formats.c45 import names_beside

    choose(dtype, ("float16", "float32"), "--dtype")
    choose(errors, ("strict", "replace"), "--errors")
    if class_weight is not None:
        choose(class_weight, ("balanced",), "--class-weight")
    if valid is not None and holdout:
        raise ParameterError("give --valid or --holdout, not both")
    if hashing is not None and max_features is not None:
        raise ParameterError("--max-features needs names to choose from; drop --hashing")
    chosen = parse_ngrams(ngrams, tokenizer)
    parameters = {"min_df": min_df, "hashing": hashing, "abstain": abstain, **chosen}
    parameters["C"] = parse_strength(strength)
    if output is None and data == "-":
        raise ParameterError("data from standard input has no name; name the model with --output")
    chosen_settings = Settings(
        data=data,
        output=output or _beside(data),
        learner=learner,
        reading={
            "format": format,
            "text": text,
            "label": label,
            "delimiter": delimiter,
            "encoding": encoding,
            "errors": errors,
        },
        parameters={name: value for name, value in parameters.items() if value is not None},
        learner_settings=parse_settings(settings),
        class_weight=class_weight,
        dtype=dtype,
        max_features=max_features,
        valid=valid,
        holdout=holdout,
        seed=seed,
        threads=threads,
    )
    read = (data, valid, features, names_beside(data))
    check_outputs([chosen_settings.output], read, devices=False)
    source: Any = data
    found = None
    if not ignore:
        source, found = open_sequences(data, chosen_settings.reading)
    if found is not None:
        tag_training.run(
            chosen_settings,
            source,
            found,
            features=features,
            constraints=constraints,
            json=json,
            quiet=quiet,
        )
        return
    refuse({"--features": features, "--constraints": constraints}, "a classifier")
    source, plan = find_rows(data, source, chosen_settings.reading, ignore)
    if plan is None:
        run(chosen_settings, source, TextTask(chosen_settings), json=json, quiet=quiet)
        return
    from linnet.cli.row_training import row_task

    run(chosen_settings, source, row_task(chosen_settings, plan), json=json, quiet=quiet)


def _beside(data: str) -> Path:
    """Return the stem of the data's name in the current folder with the suffix .linnet."""
    path = Path(data)
    if path.suffix in (".gz", ".zst"):
        path = path.with_suffix("")
    return Path(path.stem + ".linnet")
