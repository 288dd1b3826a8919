"""``linnet predict``: labels for texts from files or a pipe, block by block."""

from __future__ import annotations

from typing import Annotated

import typer

from linnet.cli.console import (
    DelimiterOption,
    EncodingOption,
    ErrorsOption,
    LineOption,
    ModelArgument,
    QuietOption,
    SafeCsvOption,
    TextOption,
    ThreadsOption,
    choose,
)

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet predict reviews.linnet new.jsonl --top 3[/bold] · "
    "[bold]tail -f log | linnet predict spam.linnet[/bold] · "
    "[bold]linnet predict reviews.linnet crawl.parquet -o labels.parquet[/bold]"
)


def command(
    model: ModelArgument,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILES]", help="Files of any format; - or none: standard input."),
    ] = None,
    string: Annotated[
        list[str] | None, typer.Option("--string", metavar="TEXT", help="A text instead of files.")
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", metavar="K", min=1, help="The K most probable labels.")
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="The probability of every label; TSV gets a header.")
    ] = False,
    abstain: Annotated[
        float | None,
        typer.Option("--abstain", metavar="P", min=0, max=1, help="No label below probability P."),
    ] = None,
    json_lines: Annotated[bool, typer.Option("--json", help="The same as --format jsonl.")] = False,
    nbest: Annotated[
        int | None,
        typer.Option("--nbest", metavar="K", min=1, help="Tagger: the K best taggings, scored."),
    ] = None,
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Tagger: the probability of each tag.")
    ] = False,
    constraints: Annotated[
        str | None,
        typer.Option(
            "--constraints", metavar="SCHEME", help="Tagger: iob1, iob2, bioes, bilou or none."
        ),
    ] = None,
    tokens: Annotated[
        str | None,
        typer.Option("--tokens", metavar="unicode|whitespace", help="Tagger: how text is cut."),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Of the answers: tsv, csv, jsonl or parquet; of a tagger conll, conllu, spans, "
            "word_tag or jsonl.",
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the answers go.")
    ] = "-",
    safe_csv: SafeCsvOption = False,
    source_format: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="Format of the input; found by default."),
    ] = None,
    text: TextOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = "utf-8",
    errors: ErrorsOption = "strict",
    max_line: LineOption = "64MB",
    threads: ThreadsOption = None,
    quiet: QuietOption = False,
) -> None:
    """Label texts, one answer for each, in their order.

    The default answer is a line [bold]label<TAB>probability[/bold]. Text that arrives slowly
    through a pipe is answered as it arrives. Labels in the input are ignored. A tagger gives
    sentences back in their format with a column of tags, and raw text as columns.
    """
    from linnet.cli.predicting import run
    from linnet.cli.tag_predicting import TagOptions

    if tokens is not None:
        choose(tokens, ("unicode", "whitespace"), "--tokens")

    run(
        model,
        files,
        strings=string,
        top=top,
        table=proba,
        abstain=abstain,
        json_lines=json_lines,
        format=format,
        output=output,
        reading={
            "format": source_format,
            "text": text,
            "delimiter": delimiter,
            "encoding": encoding,
            "errors": choose(errors, ("strict", "replace"), "--errors"),
        },
        threads=threads,
        quiet=quiet,
        safe_csv=safe_csv,
        tagging=TagOptions(nbest, marginals, constraints, tokens),
    )
