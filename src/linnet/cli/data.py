"""``linnet data``: what built-in data there is, what a file holds, generated corpora."""

from __future__ import annotations

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
    choose,
    count,
    parse_size,
    print_json,
    progress,
    say,
    size,
    stdout_console,
)
from linnet.cli.outputs import check_outputs
from linnet.errors import ParameterError

__all__ = ["app"]

app = typer.Typer(
    help="Built-in and generated data; what a file holds.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    add_completion=False,
)


@app.command("list", epilog="Example: [bold]linnet data list[/bold]")
def list_sets(json_answer: JsonOption = False) -> None:
    """List the data that is there on every machine."""
    from linnet.cli.datasets import BUILT_IN

    if json_answer:
        print_json({name: entry.summary for name, entry in BUILT_IN.items()})
        return
    from rich.table import Table

    table = Table("name", "kind", "what it is", box=None, pad_edge=False, header_style="bold")
    for name, entry in BUILT_IN.items():
        table.add_row(name, entry.kind, entry.summary)
    console = stdout_console()
    console.print(table)
    console.print("\nlinnet data show NAME shows one, linnet data make FILE --from NAME writes it")


@app.command(
    epilog="Examples: [bold]linnet data show pydoc[/bold] · "
    "[bold]linnet data show reviews.csv.gz -n 3[/bold] · "
    "[bold]linnet data show crawl.parquet --text body --limit 10000[/bold]"
)
def show(
    source: Annotated[
        str, typer.Argument(metavar="NAME|FILE", help="A built-in set, a file, or - for stdin.")
    ],
    rows: Annotated[int, typer.Option("-n", "--rows", min=0, help="Sample rows to print.")] = 5,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Read no more than so many examples.")
    ] = None,
    text: TextOption = None,
    label: LabelOption = None,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = "utf-8",
    errors: ErrorsOption = "strict",
    max_line: LineOption = "64MB",
    json_answer: JsonOption = False,
) -> None:
    """Show what a file holds: what was decided about it, sizes, labels, sample rows."""
    from linnet.cli.datasets import BUILT_IN, print_summary, summarise
    from linnet.cli.row_files import print_row_summary, rows_in, summarise_rows

    choose(errors, ("strict", "replace"), "--errors")
    reading = {
        "format": format,
        "text": text,
        "label": label,
        "delimiter": delimiter,
        "encoding": encoding,
        "errors": errors,
        "limit": limit,
    }
    table = None if source in BUILT_IN else rows_in(source, reading)
    if table is not None:
        answer = summarise_rows(table, rows)
        if json_answer:
            print_json(answer)
        else:
            print_row_summary(stdout_console(), answer)
        return
    found = summarise(source, rows, reading)
    if json_answer:
        print_json(found)
    else:
        print_summary(stdout_console(), found)


@app.command(
    epilog="Examples: [bold]linnet data make big.tsv.gz --size 1GB --classes 20[/bold] · "
    "[bold]linnet data make small.tsv --documents 1000 --seed 7[/bold] · "
    "[bold]linnet data make pydoc.tsv --from pydoc --part train[/bold]"
)
def make(
    target: Annotated[
        str, typer.Argument(metavar="OUT", help="File to write; - is standard output.")
    ],
    built_in: Annotated[
        str | None, typer.Option("--from", metavar="NAME", help="A built-in set to write.")
    ] = None,
    part: Annotated[
        str, typer.Option("--part", metavar="all|train|test", help="Part of a built-in set.")
    ] = "all",
    documents: Annotated[
        int | None, typer.Option("--documents", min=1, help="Number of documents to generate.")
    ] = None,
    wanted_size: Annotated[
        str | None, typer.Option("--size", metavar="SIZE", help="Such as 100MB, uncompressed.")
    ] = None,
    classes: Annotated[int, typer.Option("--classes", min=1, help="Number of classes.")] = 2,
    vocabulary: Annotated[
        int, typer.Option("--vocabulary", min=1, help="Number of different words.")
    ] = 50_000,
    length: Annotated[
        float, typer.Option("--length", min=1, help="Mean number of words of a document.")
    ] = 100,
    signal: Annotated[
        float, typer.Option("--signal", min=0, max=1, help="Share of words that tell the class.")
    ] = 0.05,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same corpus.")] = 0,
    quiet: QuietOption = False,
) -> None:
    """Write a generated corpus (Zipfian, labelled, of any size) or a built-in data set."""
    check_outputs([target], [])
    if built_in is not None:
        if documents is not None or wanted_size is not None:
            raise ParameterError("--from writes a built-in set as it is: no --documents or --size")
        from linnet.cli.datasets import export

        choose(part, ("all", "train", "test"), "--part")
        say(f"{count(export(built_in, part, target))} examples written to {target}", quiet)
        return
    if (documents is None) == (wanted_size is None):
        raise ParameterError("give --documents, or --size such as 100MB, or --from NAME")
    target_size = None if wanted_size is None else parse_size(wanted_size)
    law = {
        "n_classes": classes,
        "vocabulary": vocabulary,
        "mean_length": length,
        "signal": signal,
        "seed": seed,
    }
    done, written = _generate(target, documents, target_size, law, quiet)
    say(f"{count(done)} documents ({size(written)}) written to {target}", quiet)


def _generate(
    target: str, documents: int | None, target_size: int | None, law: dict[str, Any], quiet: bool
) -> tuple[int, int]:
    """Write a generated corpus in the format of the target's suffix, a bar showing how far."""
    from linnet.data.formats import format_of_suffix
    from linnet.data.zipf import write_corpus

    if target != "-" and format_of_suffix(target) not in ("labelled", None):
        raise ParameterError(
            f"{target}: a generated corpus is written as label<TAB>text lines; let the name end in "
            ".tsv, .tsv.gz or .tsv.zst, and use linnet convert for other formats"
        )
    before = 0
    with progress(documents if target_size is None else target_size, quiet) as step:

        def report(done: int, written: int) -> None:
            nonlocal before
            now = done if target_size is None else written
            step(f"{count(done)} documents", now - before)
            before = now

        return write_corpus(target, documents, size=target_size, progress=report, **law)
