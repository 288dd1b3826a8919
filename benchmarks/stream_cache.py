"""More text than memory: what do the limit and the cache cost?

A labelled Zipfian corpus is generated. One process trains over a cache of features, or in one pass
over the file ("stream"), another one in memory: on all of it, or with --part on the first so many
megabytes, which is compared by rate. Printed are megabytes of text a second, by the clock and by
the processors' time; the largest memory of their own that the processes had, which must be below
--memory; the same with the pages of mapped files, which the system takes back when it needs room;
and whether the files of the models are the same.

    python benchmarks/stream_cache.py                                 # 500 MB inside 300 MB
    python benchmarks/stream_cache.py --size 5000 --memory 1000 --learners stream --part 200
    python benchmarks/stream_cache.py --size 30 --memory 250          # short
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from linnet.data.zipf import write_corpus

LEARNERS = {
    "stream": [],
    "svm": ["--learner", "svm"],
    "maxent": ["--learner", "maxent"],
    "lbfgs": ["--learner", "maxent", "--set", "solver=lbfgs"],
    "newton": ["--learner", "maxent", "--set", "solver=newton"],
}
RATIO = 1.5  # of the rates, at most


class Run(NamedTuple):
    """What a process took: seconds by the clock and of processors, own memory, and all of it."""

    seconds: float
    processor: float
    peak: int
    resident: int


def watched(command: list[str]) -> Run:
    """Run a command and watch how much memory it has."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    peak = [0, 0]

    def watch() -> None:
        while process.poll() is None:
            peak[:] = map(max, peak, memory_of(process.pid))
            time.sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    lines = (process.communicate()[1] or "").splitlines()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        sys.exit("\n".join([" ".join(command), *lines[-3:]]))
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(time.perf_counter() - began, used, *peak)


def memory_of(pid: int) -> list[int]:
    """Return the bytes of a process that are no pages of files, and all that are in memory."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return [0, 0]
    sizes = dict(line.split(":", 1) for line in status.splitlines())
    return [1024 * int(sizes.get(name, "0 kB").split()[0]) for name in ("RssAnon", "VmRSS")]


def row(name: str, size: int, run: Run) -> str:
    rate = f"{size / 1e6 / run.seconds:8.1f} {size / 1e6 / run.processor:8.1f}"
    return f"{name:28} {run.seconds:8.1f} {rate} {run.peak / 1e6:7.0f} {run.resident / 1e6:9.0f}"


def compare(name: str, corpus: Path, folder: Path, args: argparse.Namespace) -> None:
    """Train with one learner, over the cache twice and in memory."""
    size = corpus.stat().st_size
    start = [sys.executable, "-m", "linnet", "train", str(corpus), *LEARNERS[name]]
    start += ["--ngrams", args.ngrams, "-C", "1"]
    if args.hashing:
        start += ["--hashing", str(args.hashing)]
    output = ["-o", str(folder / "cached.linnet")]
    if name == "stream":
        bits = [] if args.hashing else ["--hashing", "22"]
        limit = ["--memory", f"{args.memory:.0f}MB"]
        first = again = watched([*_plain(start), *bits, "--stream", *limit, *output])
        print(row("one pass of a stream", size, first), flush=True)
    else:
        cached = [*start, "--cache", str(folder / "cache"), *output]
        first = watched(cached)
        print(row(f"{name} and its cache", size, first), flush=True)
        again = watched(cached)
        print(row(f"{name}, the cache is there", size, again), flush=True)
    peak = max(first.peak, again.peak) / 1e6
    verdict = "inside" if peak <= args.memory else "NOT INSIDE"
    print(f"    {verdict} {args.memory:.0f} MB: {peak:.0f} MB at most")
    if not args.twin:
        return
    part = corpus if args.part is None else _part(corpus, folder, int(args.part * 1e6))
    start[4], taken = str(part), part.stat().st_size
    whole = watched([*start, "-o", str(folder / "whole.linnet")])
    print(row(f"in memory, {taken / 1e6:.0f} MB", taken, whole), flush=True)
    ratio = (first.seconds / size) / (whole.seconds / taken)
    work = (first.processor / size) / (whole.processor / taken)
    verdict = "within" if ratio <= RATIO else "NOT WITHIN"
    print(f"    a byte takes {ratio:.2f} of its seconds, {work:.2f} of its work: {verdict} {RATIO}")
    if part == corpus and name != "stream":
        models = [(folder / f"{one}.linnet").read_bytes() for one in ("cached", "whole")]
        print("    the same file" if models[0] == models[1] else "    ANOTHER model")


def _plain(command: list[str]) -> list[str]:
    """Return a command without -C, which AdaGrad does not have."""
    at = command.index("-C")
    return command[:at] + command[at + 2 :]


def _part(corpus: Path, folder: Path, size: int) -> Path:
    """Write the first lines of a corpus into a file of their own."""
    part = folder / "part.tsv"
    with corpus.open("rb") as whole:
        head = whole.read(size)
        part.write_bytes(head + whole.readline())
    return part


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=float, default=500, help="megabytes of the corpus")
    parser.add_argument("--memory", type=float, default=300, help="megabytes that may be used")
    parser.add_argument("--learners", default="svm,lbfgs,newton")
    parser.add_argument("--ngrams", default="1,1")
    parser.add_argument("--hashing", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where files go, and stay")
    parser.add_argument("--part", type=float, help="megabytes that are trained in memory; all")
    parser.add_argument("--no-twin", dest="twin", action="store_false", help="not in memory")
    args = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        corpus = Path(name) / "corpus.tsv"
        began = time.perf_counter()
        documents, size = write_corpus(corpus, size=int(args.size * 1e6))
        seconds = time.perf_counter() - began
        rate = size / 1e6 / seconds
        print(f"{size / 1e6:.0f} MB, {documents:,} texts, made at {rate:.0f} MB/s; the limit is "
              f"{args.memory:.0f} MB\n")  # fmt: skip
        print(f"{'':28} {'seconds':>8} {'MB/s':>8} {'MB/cpu s':>8} {'own MB':>7} {'with maps':>9}")
        for learner in args.learners.split(","):
            compare(learner, corpus, Path(name), args)
        caches = sum(file.stat().st_size for file in (Path(name) / "cache").glob("*"))
        print(f"\nthe cache takes {caches / 1e6:.0f} MB, {caches / size:.2f} of the corpus")


if __name__ == "__main__":
    main()
