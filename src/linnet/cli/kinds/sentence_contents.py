"""What a file of sentences holds, for people: sizes, tags, some sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from linnet.cli.kinds.labelled import shortened
from linnet.cli.kinds.sentence_files import column
from linnet.cli.shared.console import count, label_table, print_sample
from linnet.data.sequences import stream_sequences
from linnet.errors import DataError

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.cli.kinds import Recognised

__all__ = ["print_summary", "summarise"]


def summarise(recognised: Recognised, rows: int, reading: dict[str, Any]) -> dict[str, Any]:
    """Return what a file of sentences holds, as plain values, with some sentences as samples."""
    plan, limit = recognised.plan, reading.get("limit")
    tags: Counter[str] = Counter()
    words: set[str] = set()
    sample: list[dict[str, Any]] = []
    sentences = tokens = longest = 0
    block = None
    for block in stream_sequences(
        recognised.source,
        format=plan.format,
        word=column(reading["text"], 0),  # type: ignore[arg-type]  # has a default
        tag=column(reading["label"], -1),
        delimiter=plan.delimiter,
        encoding=reading["encoding"],
        errors=reading["errors"],
    ):
        if limit is not None and sentences + len(block) > limit:
            block = block.take(range(limit - sentences))
        sentences += len(block)
        tokens += block.n_tokens
        longest = max([longest, *(block.offset[1:] - block.offset[:-1]).tolist()])
        for row in block.tags or []:
            tags.update(row)
        if block.word is not None:
            words.update(block.words.to_list())
        sample += _sample(block, rows - len(sample))
        if sentences == limit:
            break
    if block is None or not sentences:
        raise DataError(f"{recognised.data} holds no sentence")
    return {
        "name": recognised.data,
        "kind": "sequence",
        "format": block.format,
        "decisions": [*plan.decisions[:1], *block.decisions[1:]],
        "sentences": sentences,
        "tokens": tokens,
        "mean_length": tokens / sentences,
        "longest": longest,
        "words": len(words),
        "columns": list(block.columns),
        "labels": dict(tags.most_common()),
        "sample": sample,
    }


def _sample(block: Any, rows: int) -> list[dict[str, Any]]:
    if rows <= 0 or block.word is None:
        return []
    sample = []
    part = block.take(range(min(rows, len(block))))
    for at, words in enumerate(part.sentences()):
        tags = [None] * len(words) if part.tags is None else part.tags[at]
        pairs = [
            word if tag is None else f"{word}/{tag}" for word, tag in zip(words, tags, strict=True)
        ]
        sample.append({"line": int(part.lines[at]), "sentence": shortened(" ".join(pairs))})
    return sample


def print_summary(console: Console, summary: dict[str, Any]) -> None:
    """Print what :func:`summarise` returns."""
    for sentence in summary["decisions"]:
        console.print(f"· {sentence}", style="dim")
    console.print(
        f"{count(summary['sentences'])} sentences, {count(summary['tokens'])} tokens, "
        f"{summary['mean_length']:.1f} a sentence on average, longest {count(summary['longest'])}, "
        f"{count(summary['words'])} different words"
    )
    if summary["labels"]:
        console.print(label_table(summary["labels"], "tokens"))
    else:
        console.print("no tags")
    if summary["sample"]:
        print_sample(console, summary["sample"])
