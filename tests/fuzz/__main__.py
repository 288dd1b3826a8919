"""``python -m tests.fuzz``: forge model files and see whether linnet refuses them or answers."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from .kinds import KINDS
from .running import Failure, make, replay, run, work


def main() -> int:
    """Run the command; the status is 1 when a case failed."""
    options = _parsed()
    names = [name for name in KINDS if options.kind is None or options.kind in name]
    if options.work:
        start, stop, folder, listed = options.work
        work(options.seed, range(int(start), int(stop)), listed.split(","), Path(folder))
        return 0
    if options.make:
        make(Path(options.make), names)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if options.replay is not None:
            make(folder, [names[options.replay % len(names)]])
            replay(options.seed, options.replay, names, folder)
            return 0
        tally = run(options.seed, options.count, names, folder, options.workers, _show)
    if options.refusals:
        for message, times in tally.refusals.most_common():
            print(f"{times:7} {message[:300]}")
    print(
        f"{options.count} forged files of {len(names)} kinds: {tally.refused} refused, "
        f"{tally.answered} gave finite answers, {len(tally.failures)} failed"
    )
    return 1 if tally.failures else 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="forged files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--kind", help="only kinds whose name contains this")
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="show one case; with the same"
                        " --seed and --kind")  # fmt: skip
    parser.add_argument("--refusals", action="store_true", help="list what accepted models refused")
    parser.add_argument("--make", metavar="FOLDER", help="only write the models that are forged")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


_shown: set[int] = set()


def _show(failures: list[Failure]) -> Any:
    """Print the failures that are new."""
    for failure in failures:
        if failure.number not in _shown:
            _shown.add(failure.number)
            print(f"--- case {failure.number}: {failure.kind}; {'; '.join(failure.changes)}")
            print(failure.what, flush=True)


if __name__ == "__main__":
    sys.exit(main())
