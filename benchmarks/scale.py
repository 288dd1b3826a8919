"""Many files: how fast, on how many workers, and what becomes of it when a worker is killed.

    python benchmarks/scale.py bulk        # MB/s per core against datatrove's own fastText filter
    python benchmarks/scale.py kills       # SIGKILL of one of three workers in the middle
    python benchmarks/scale.py overhead    # what a cluster costs on little data

`bulk` needs datatrove, fasttext and the reviews of imdb. Both sides use the same
fastText model, read the same JSON lines, and write the rows they keep with their scores; times are
CPU seconds of processes of their own with one thread. Scores are compared by the ids of the rows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import linnet
from real_data import data_root

LABEL, THRESHOLD = "pos", 0.5
DATATROVE = """
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.filters import FastTextClassifierFilter
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
model, source, target, label, threshold = sys.argv[1:]
FastTextClassifierFilter._requires_dependencies = []  # fasttext has several distributions
if __name__ == "__main__":
    LocalPipelineExecutor([
        JsonlReader(source, glob_pattern="*.jsonl"),
        FastTextClassifierFilter(model, keep_labels=(label, float(threshold))),
        JsonlWriter(target, compression=None),
    ], tasks=1, logging_dir=target + "/logs").run()
"""


def reviews() -> tuple[list[str], list[str]]:
    """Return the training part of imdb, each review in one line."""
    train = linnet.data.read_examples(data_root() / "imdb" / "train.tsv.gz")
    return [" ".join(text.split()) for text in train.X], list(train.y)


def write_parts(texts: list[str], folder: Path, parts: int, megabytes: float) -> list[Path]:
    """Write JSON lines with ids until there are so many megabytes of text."""
    folder.mkdir()
    files, n, left = [], 0, megabytes * 1e6
    for part in range(parts):
        files.append(folder / f"part-{part:03}.jsonl")
        share = left / (parts - part)
        with files[-1].open("w", encoding="utf-8") as out:
            while share > 0:
                text = texts[n % len(texts)]
                out.write(json.dumps({"id": str(n), "text": text}, ensure_ascii=False) + "\n")
                n, share, left = n + 1, share - len(text), left - len(text)
    return files


def cpu_seconds(command: list[str]) -> tuple[float, float]:
    """Run a command and return the CPU seconds and the seconds that it took."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.perf_counter() - began


def fasttext_model(texts: list[str], labels: list[str], folder: Path) -> Path:
    import fasttext

    data, model = folder / "train.txt", folder / "quality.bin"
    rows = zip(labels, texts, strict=True)
    data.write_text("".join(f"__label__{label} {text}\n" for label, text in rows))
    settings = {"epoch": 2, "dim": 16, "wordNgrams": 2, "bucket": 200_000, "thread": 1}
    fasttext.train_supervised(str(data), verbose=0, **settings).save_model(str(model))
    return model


def bulk(megabytes: float) -> None:
    texts, labels = reviews()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = fasttext_model(texts, labels, folder)
        files = write_parts(texts, folder / "in", 4, megabytes)
        size = sum(path.stat().st_size for path in files) / 1e6
        theirs, ours = folder / "theirs", folder / "ours"
        rule = (LABEL, str(THRESHOLD))
        script = folder / "theirs.py"  # a file, as its processes import it again
        script.write_text(DATATROVE)
        paths = map(str, (script, model, folder / "in", theirs))
        t_theirs = cpu_seconds([sys.executable, *paths, *rule])
        command = [sys.executable, "-m", "linnet", "filter", str(model), *map(str, files)]
        wishes = ["--keep", f"{LABEL}>={THRESHOLD}", "--add-score", "score", "--threads", "1", "-q"]
        t_ours = cpu_seconds([*command, "-o", str(ours), *wishes])
        print(f"{size:.0f} MB of JSON lines, the same fastText model, one thread each")
        for who, (cpu, wall) in (("datatrove", t_theirs), ("linnet", t_ours)):
            print(f"{who:10} {size / cpu:7.1f} MB/s per core   {cpu:6.1f} s CPU {wall:6.1f} s")
        print(f"linnet is {t_theirs[0] / t_ours[0]:.1f} times as fast (wanted: 3)")
        compare_scores(theirs, ours)


def rows_of(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for path in files for line in path.open(encoding="utf-8")]


def compare_scores(theirs: Path, ours: Path) -> None:
    """Say whether both kept the same ids with the same scores."""
    key = f"__label__{LABEL}"
    one = {row["id"]: row["metadata"][key] for row in rows_of(theirs)}
    two = {row["id"]: row["score"] for row in rows_of(ours)}
    both = sorted(one.keys() & two.keys())
    apart = np.abs([one[n] - two[n] for n in both]).max()
    print(
        f"kept by datatrove {len(one)}, by linnet {len(two)}, by both {len(both)}; "
        f"scores by id differ by at most {apart:.1e}"
    )


def kills() -> None:
    """Kill one of three workers in the middle of each kind of work, and compare the results."""
    from linnet.data.zipf import write_corpus

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / f"part-{n:02}.tsv" for n in range(12)]
        for seed, file in enumerate(files):
            write_corpus(file, 3000, seed=seed)
        linnet.TextClassifier("nb", features="words").fit(*rows(files[0])).save(folder / "m.linnet")
        for scenario in (kill_filtering, kill_training, kill_comparing):
            scenario(folder, files)


def rows(file: Path) -> tuple[list[str], list[str]]:
    examples = linnet.data.read_examples(file)
    return list(examples.X), list(examples.y)


class Killing:
    """Kills a worker of a cluster of three while the block runs."""

    def __init__(self, after: float) -> None:
        from linnet.scale import cluster_client

        self._opened, self._after = cluster_client("local:3"), after
        self.killed = False

    def __enter__(self) -> Any:
        self.client = self._opened.__enter__()
        victim = random.Random(0).choice(sorted(self.client.run(os.getpid).values()))

        def kill() -> None:
            os.kill(victim, signal.SIGKILL)
            self.killed = True

        self._timer = threading.Timer(self._after, kill)
        self._timer.start()
        return self.client

    def __exit__(self, *error: Any) -> None:
        self._timer.cancel()
        self._opened.__exit__(*error)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def kill_filtering(folder: Path, files: list[Path]) -> None:
    from linnet.scale import filter_parts

    wishes: Any = {"keep": ["c0>=0.5"]}
    began = time.perf_counter()
    alone = filter_parts(folder / "m.linnet", files, folder / "alone", n_threads=1, **wishes)
    seconds = time.perf_counter() - began
    killing = Killing(after=seconds / 6)
    with killing as client:
        many = filter_parts(folder / "m.linnet", files, folder / "many", client=client, **wishes)
    same = contents(folder / "many") == contents(folder / "alone")
    told("filtering", killing, same and many.total.to_dict() == alone.total.to_dict())


def kill_training(folder: Path, files: list[Path]) -> None:
    from linnet.scale import fit

    pairs = [rows(file) for file in files]
    texts, labels = ([one for pair in pairs for one in pair[side]] for side in (0, 1))
    alone = linnet.TextClassifier("nb", features="words").fit(texts, labels)
    killing = Killing(after=0.5)
    with killing as client:
        many = fit(
            linnet.TextClassifier("nb", features="words"),
            [str(file) for file in files],
            client=client,
        )
    told("training", killing, bool((many.predict_proba(texts) == alone.predict_proba(texts)).all()))


def kill_comparing(folder: Path, files: list[Path]) -> None:
    from linnet.scale import compare

    data, wishes = rows(files[0]), {"learners": "nb, perceptron", "folds": 5}
    alone = linnet.compare(data, **wishes)
    killing = Killing(after=1.0)
    with killing as client:
        many = compare(data, client=client, **wishes)
    scores = [[(row.name, row.score) for row in table.rows] for table in (alone, many)]
    told("comparing", killing, scores[0] == scores[1])


def told(what: str, killing: Killing, same: bool) -> None:
    print(f"{what}: a worker was killed: {killing.killed}, the result is the same: {same}")
    if not (killing.killed and same):
        sys.exit(f"{what} did not end as it should")


def overhead() -> None:
    """Print what a cluster costs where one machine would do."""
    from linnet.data.zipf import write_corpus
    from linnet.scale import cluster_client, filter_parts

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / f"part-{n:02}.tsv" for n in range(8)]
        for seed, file in enumerate(files):
            write_corpus(file, 500, seed=seed)
        linnet.TextClassifier("nb", features="words").fit(*rows(files[0])).save(folder / "m.linnet")
        began = time.perf_counter()
        filter_parts(folder / "m.linnet", files, folder / "alone", keep=["c0"], n_threads=1)
        alone = time.perf_counter() - began
        began = time.perf_counter()
        with cluster_client("local:2") as client:
            start = time.perf_counter() - began
            began = time.perf_counter()
            for number in range(2):
                began = time.perf_counter()
                filter_parts(
                    folder / "m.linnet", files, folder / f"many{number}", keep=["c0"], client=client
                )
                print(
                    f"{('first', 'second')[number]} run on two workers "
                    f"{time.perf_counter() - began:.2f} s, here {alone:.2f} s"
                )
        size = sum(path.stat().st_size for path in files) / 1e6
        print(f"{len(files)} files, {size:.1f} MB; a local cluster of two starts in {start:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("bulk", "kills", "overhead"))
    parser.add_argument("--megabytes", type=float, default=100)
    wanted = parser.parse_args()
    if wanted.what == "bulk":
        bulk(wanted.megabytes)
    else:
        {"kills": kills, "overhead": overhead}[wanted.what]()


if __name__ == "__main__":
    main()
