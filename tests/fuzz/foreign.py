"""Mutated files of other programs: ``python -m tests.fuzz.foreign --count 100000 --format Wapiti``.

Each file is refused with an error of linnet's or answers with numbers, and every tenth model gives
the same answers when it was stored in linnet's own format. A case that takes more than
20 seconds or 4 GB ends the run with a trace, and its number is the last one that was printed;
``--first`` begins there.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import signal
import tempfile
from pathlib import Path

from tests.foreign.test_mutated import FORMATS, asked, mutated

import linnet
from linnet.errors import LinnetError

from .running import limit_memory

_LIMIT = 20.0  # seconds of the processor for one case: the machine may have other work
_TOLD = 1000


def main() -> None:
    """Run cases of one format, or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", choices=[*FORMATS, "all"], default="all")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    limit_memory()
    faulthandler.register(signal.SIGPROF, chain=True)
    os.fsync = lambda handle: None  # the files are thrown away, and waiting for the disk is slow
    for name in FORMATS if options.format == "all" else [options.format]:
        with tempfile.TemporaryDirectory() as folder:
            _run(name, range(options.first, options.first + options.count), Path(folder))


def _run(name: str, numbers: range, folder: Path) -> None:
    make, X = FORMATS[name]
    files = make(folder)
    refused = answered = 0
    for number in numbers:
        path = files[number % len(files)]
        forged = folder / f"forged{path.suffix}"
        forged.write_bytes(mutated(path.read_bytes(), random.Random(f"{name} {number}")))
        if number % _TOLD == 0:
            print(f"{name}: case {number}, {refused} refused, {answered} answered", flush=True)
        signal.setitimer(signal.ITIMER_PROF, _LIMIT)
        try:
            asked(linnet.load(forged), X, folder / "own.linnet" if number % 10 == 0 else None)
            answered += 1
        except LinnetError:
            refused += 1
        except Exception:
            print(f"{name}: case {number} failed", flush=True)
            raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
    print(f"{name}: {len(numbers)} files, {refused} refused, {answered} answered, none failed")


if __name__ == "__main__":
    main()
