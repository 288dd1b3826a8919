"""``linnet data``: Built-in and generated data; what a file holds."""

from __future__ import annotations

import os
from typing import Any

from linnet.cli.built_in import BUILT_IN, export
from linnet.cli.shared.console import (
    choose,
    count,
    grid,
    parse_size,
    print_json,
    progress,
    say,
    size,
    stdout_console,
)
from linnet.cli.shared.hints import check_data, did_you_mean, near_files
from linnet.cli.shared.options import (
    FORCE,
    INPUT,
    JSON,
    OUTPUT,
    QUIET,
    Options,
    Reading,
    argument,
    option,
)
from linnet.cli.shared.outputs import check_outputs
from linnet.errors import DataError, ParameterError

__all__ = ["COMMANDS"]


def list_sets(json_answer: bool = JSON) -> None:
    """List the data that is there on every machine."""
    if json_answer:
        print_json({name: entry.summary for name, entry in BUILT_IN.items()})
        return
    table = grid(["name", "kind", "what it is"])
    for name, entry in BUILT_IN.items():
        table.add_row(name, entry.kind, entry.summary)
    console = stdout_console()
    console.print(table)
    console.print("\nlinnet data show NAME shows one, linnet data make FILE --from NAME writes it")


_SOURCE = argument("NAME|FILE", "A built-in set, a file, or - for stdin.")
_ROWS = option("-n --rows N", "Sample rows to print.", OUTPUT, 5, min=0)
_LIMIT = option("--limit N", "Read no more than so many examples.", INPUT, min=1)
_TARGET = argument("OUT", "File to write; - is standard output.")


def show(
    source: str = _SOURCE,
    *,
    reading: Reading,
    rows: int = _ROWS,
    limit: int | None = _LIMIT,
    json_answer: bool = JSON,
    quiet: bool = QUIET,  # no warnings, which the option itself sees to
) -> None:
    """Show what a file holds: what was decided about it, sizes, labels, sample rows.

    A file named like a built-in set is shown when the name is given with its folder.
    """
    from linnet.cli.kinds import recognise_examples

    settings = {**reading.settings(), "limit": limit}
    there = source == "-" or os.path.dirname(source) or os.path.exists(source)
    if source not in BUILT_IN and not there:
        known = ", ".join(BUILT_IN)
        raise DataError(
            f"there is no file {source!r} and no built-in set of that name ({known})"
            + (near_files(source) or did_you_mean(source, BUILT_IN))
        )
    if source not in BUILT_IN:
        check_data(source)
    examples = BUILT_IN[source].load("all").take(slice(limit)) if source in BUILT_IN else None
    file = recognise_examples(source, settings, examples, sentences=True)
    summary = file.contents.summarise(file, rows, settings)
    if json_answer:
        print_json(summary)
    else:
        file.contents.print_summary(stdout_console(), summary)


class Corpus(Options):
    """A generated corpus, or a built-in set."""

    built_in: str | None = option("--from NAME", "A built-in set to write.", INPUT)
    part: str = option("--part all|train|test", "Part of a built-in set.", INPUT, "all")
    documents: int | None = option(
        "--documents N", "Number of documents to generate.", OUTPUT, min=1
    )
    wanted_size: str | None = option("--size --bytes SIZE", "Such as 100MB of texts.", OUTPUT)
    classes: int = option("--classes N", "Number of classes.", OUTPUT, 2, min=1)
    vocabulary: int = option("--vocabulary N", "Number of different words.", OUTPUT, 50_000, min=1)
    length: float = option("--length N", "Mean number of words of a document.", OUTPUT, 100, min=1)
    signal: float = option(
        "--signal SHARE", "Share of words that tell the class.", OUTPUT, 0.05, min=0, max=1
    )
    seed: int = option("--seed N", "Same seed, same corpus.", OUTPUT, 0, min=0)


def make(
    target: str = _TARGET,
    *,
    corpus: Corpus,
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Write a generated corpus (Zipfian, labelled, of any size) or a built-in data set."""
    check_outputs([target], [], force=force)
    if corpus.built_in is not None:
        if corpus.documents is not None or corpus.wanted_size is not None:
            raise ParameterError("--from writes a built-in set as it is: no --documents or --size")
        choose(corpus.part, ("all", "train", "test"), "--part")
        say(
            f"{count(export(corpus.built_in, corpus.part, target))} examples written to {target}",
            quiet,
        )
        return
    if (corpus.documents is None) == (corpus.wanted_size is None):
        raise ParameterError("give --documents, or --size such as 100MB, or --from NAME")
    target_size = None if corpus.wanted_size is None else parse_size(corpus.wanted_size)
    law = {
        "n_classes": corpus.classes,
        "vocabulary": corpus.vocabulary,
        "mean_length": corpus.length,
        "signal": corpus.signal,
        "seed": corpus.seed,
    }
    done, written = _generate(target, corpus.documents, target_size, law, quiet)
    say(f"{count(done)} documents ({size(written)}) written to {target}", quiet)


def _generate(
    target: str, documents: int | None, target_size: int | None, law: dict[str, Any], quiet: bool
) -> tuple[int, int]:
    """Write a generated corpus in the format of the target's suffix, a bar showing how far."""
    from linnet.data.zipf import write_corpus

    before = 0
    with progress(documents if target_size is None else target_size, quiet) as step:

        def report(done: int, written: int) -> None:
            nonlocal before
            now = done if target_size is None else written
            step(f"{count(done)} documents", now - before)
            before = now

        return write_corpus(target, documents, size=target_size, progress=report, **law)


COMMANDS = {
    "list": (list_sets, "Example: [bold]linnet data list[/bold]"),
    "show": (
        show,
        "Examples: [bold]linnet data show pydoc[/bold] · "
        "[bold]linnet data show reviews.csv.gz -n 3[/bold] · "
        "[bold]linnet data show crawl.parquet --text body --limit 10000[/bold]",
    ),
    "make": (
        make,
        "Examples: [bold]linnet data make big.tsv.gz --size 1GB --classes 20[/bold] · "
        "[bold]linnet data make big.parquet --bytes 5GB[/bold] · "
        "[bold]linnet data make small.tsv --documents 1000 --seed 7[/bold] · "
        "[bold]linnet data make pydoc.tsv --from pydoc --part train[/bold]",
    ),
}
