"""Cases in processes of their own: a crash or a hang is named, and the run goes on."""

from __future__ import annotations

import faulthandler
import json
import os
import random
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import linnet
from linnet.errors import LinnetError
from linnet.model.file import read_model

from .asking import ask_all
from .kinds import KINDS
from .mutations import Forgery, forge

__all__ = ["Failure", "Tally", "limit_memory", "make", "replay", "run", "work"]

ROOT = Path(__file__).resolve().parents[2]
_LIMIT = 20.0  # seconds of one case, hundreds of times what it needs
_MEMORY = 4 << 30  # bytes of one process; a small file must not need more


class Failure(NamedTuple):
    """A case that load accepted and that then went wrong."""

    number: int
    kind: str
    changes: list[str]
    what: str


class Tally(NamedTuple):
    """How the cases of a run ended."""

    refused: int
    answered: int
    failures: list[Failure]
    refusals: Counter[str]  # questions that accepted models refused, by message


def make(folder: Path, names: list[str]) -> None:
    """Fit and save one model of each kind."""
    for name in names:
        linnet.save(KINDS[name].fit(), folder / f"{name}.linnet")


def case(seed: int, number: int, names: list[str], folder: Path) -> tuple[str, Forgery]:
    """Return the kind and the forged file of one case; it depends on its numbers alone."""
    name = names[number % len(names)]
    return name, forge(
        read_model(folder / f"{name}.linnet"), random.Random(f"{seed} {number} {name}")
    )


def work(seed: int, numbers: range, names: list[str], folder: Path) -> None:
    """Run cases, one line of JSON for each beginning and each end on standard output."""
    limit_memory()
    os.fsync = lambda handle: None  # the files are thrown away, and waiting for the disk is slow
    path = folder / f"case{numbers.start}.linnet"
    for number in numbers:
        name, forgery = case(seed, number, names, folder)
        _say(number=number, kind=name, changes=forgery.changes)
        faulthandler.dump_traceback_later(_LIMIT, exit=True)
        path.write_bytes(forgery.raw)
        _say(number=number, **_outcome(path, name))
        faulthandler.cancel_dump_traceback_later()


def replay(seed: int, number: int, names: list[str], folder: Path) -> None:
    """Run one case in this process and show all of it."""
    name, forgery = case(seed, number, names, folder)
    path = folder / "replayed.linnet"
    path.write_bytes(forgery.raw)
    print(f"case {number} of seed {seed}: {name}; {'; '.join(forgery.changes)}", flush=True)
    try:
        for line in ask_all(path, KINDS[name]):
            print(f"refused {line}")
        print("answered")
    except LinnetError as error:
        print(f"refused: {error}")


def limit_memory() -> None:
    """Let this process have no more memory than a small file may need."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if not Path("/proc/self/statm").exists():  # macOS
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    if pages * resource.getpagesize() < _MEMORY:  # a sanitizer has taken terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _outcome(path: Path, name: str) -> dict[str, Any]:
    try:
        return {"end": "answered", "refusals": ask_all(path, KINDS[name])}
    except LinnetError:
        return {"end": "refused"}
    except Exception:
        return {"end": "failed", "what": traceback.format_exc(limit=-4)}


def _say(**values: Any) -> None:
    print(json.dumps(values), flush=True)


def run(
    seed: int, count: int, names: list[str], folder: Path, workers: int, progress: Any = None
) -> Tally:
    """Run all cases in several processes and return how they ended."""
    make(folder, names)
    tallies = [Tally(0, 0, [], Counter()) for _ in range(workers)]
    size = -(-count // workers)

    def watch(worker: int) -> None:
        numbers = range(worker * size, min((worker + 1) * size, count))
        tallies[worker] = _watched(seed, numbers, names, folder, progress)

    threads = [Thread(target=watch, args=(worker,)) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Tally(
        sum(one.refused for one in tallies),
        sum(one.answered for one in tallies),
        [failure for one in tallies for failure in one.failures],
        sum((one.refusals for one in tallies), Counter()),
    )


def _watched(seed: int, numbers: range, names: list[str], folder: Path, progress: Any) -> Tally:
    """Run cases in a process, and in another one behind each case that ends the process."""
    ends: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    failures = []
    while len(numbers):
        begun: dict[str, Any] = {"number": numbers.start, "kind": "?", "changes": []}
        running = False
        lines = _lines(seed, numbers, names, folder)
        status = ""
        for line in lines:
            if not line.startswith("{"):
                status += line
                continue
            said = json.loads(line)
            running = "end" not in said
            if running:
                begun = said
                continue
            ends[said["end"]] += 1
            refusals.update(said.get("refusals", ()))
            if said["end"] == "failed":
                failures.append(Failure(*begun.values(), said["what"]))
            if progress is not None:
                progress(failures)
        if running or begun["number"] != numbers[-1]:
            what = f"the process ended: {status}"
            failures.append(Failure(*begun.values(), what))
        numbers = range(begun["number"] + 1, numbers.stop)
    return Tally(ends["refused"], ends["answered"], failures, refusals)


def _lines(seed: int, numbers: range, names: list[str], folder: Path) -> Iterator[str]:
    """Yield what a working process says; at its end how it ended, if that was no good end."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz", "--seed", str(seed)]
    command += ["--work", str(numbers.start), str(numbers.stop), str(folder), ",".join(names)]
    with (folder / f"errors{numbers.start}").open("w+") as errors:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        assert process.stdout is not None
        yield from process.stdout
        if process.wait():
            errors.seek(0)
            yield f"status {process.returncode}\n"
            yield errors.read(2000).replace("{", "(") + "\n"
