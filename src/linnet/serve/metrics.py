"""What happens, as numbers that Prometheus reads (text format 0.0.4).

Each worker counts for itself and now and then leaves its numbers in a folder that all of them
have in common; whoever is asked adds up what the others have left.
"""

from __future__ import annotations

import json
import os
import threading
import time
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Metrics"]

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_SERIES = 200  # of labels of a model; the rest is counted together
Key = tuple[str, ...]


@dataclass(frozen=True)
class _Meter:
    """A family of numbers: its name, what it means, the names of its labels, its bounds."""

    name: str
    about: str
    labels: Key = ()
    bounds: tuple[float, ...] = ()
    kind: str = "counter"


@dataclass
class _Family:
    meter: _Meter
    values: dict[Key, list[float]] = field(default_factory=dict)

    def add(self, key: Key, amount: float = 1.0) -> None:
        """Count, or put a value into its bucket."""
        row = self.values.get(key)
        if row is None:
            row = self.values[key] = [0.0] * (len(self.meter.bounds) + 3 or 1)
        if self.meter.bounds:  # buckets, the sum, the number
            row[bisect_left(self.meter.bounds, amount)] += 1
            row[-2] += amount
            row[-1] += 1
        else:
            row[0] += amount

    def lines(self) -> Iterable[str]:
        """Yield the lines of the text format."""
        meter = self.meter
        yield f"# HELP {meter.name} {meter.about}"
        yield f"# TYPE {meter.name} {'histogram' if meter.bounds else meter.kind}"
        for key, row in sorted(self.values.items()):
            named = [f'{name}="{_escaped(v)}"' for name, v in zip(meter.labels, key, strict=True)]
            if not meter.bounds:
                yield f"{meter.name}{_braced(named)} {row[0]:.17g}"
                continue
            total = 0.0
            for bound, number in zip((*meter.bounds, "+Inf"), row, strict=False):
                total += number
                parts = _braced([*named, f'le="{bound}"'])
                yield f"{meter.name}_bucket{parts} {total:g}"
            yield f"{meter.name}_sum{_braced(named)} {row[-2]:.17g}"
            yield f"{meter.name}_count{_braced(named)} {row[-1]:g}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _braced(parts: list[str]) -> str:
    return "{" + ",".join(parts) + "}" if parts else ""


_METERS = {
    "requests": _Meter("linnet_requests_total", "Requests that were answered.", ("path", "status")),
    "seconds": _Meter(
        "linnet_request_seconds", "From the head of a request to its answer.", ("path",), _SECONDS
    ),
    "batch": _Meter("linnet_batch_examples", "Examples in a call.", ("model",), _SIZES),
    "together": _Meter("linnet_batch_requests", "Requests in a call.", ("model",), _SIZES),
    "labels": _Meter("linnet_labels_total", "Answers, by label.", ("model", "label")),
    "loads": _Meter(
        "linnet_model_loads_total", "Model files taken up or refused.", ("model", "outcome")
    ),
    "flight": _Meter("linnet_requests_in_flight", "Requests in the works.", kind="gauge"),
    "memory": _Meter("process_resident_memory_bytes", "Memory of all workers.", kind="gauge"),
    "files": _Meter("process_open_fds", "Open files of all workers.", kind="gauge"),
}


class Metrics:
    """The numbers of one worker.

    Parameters
    ----------
    folder : path
        Where workers leave their numbers for each other.
    """

    def __init__(self, folder: str | Path) -> None:
        self._file = Path(folder) / f"metrics-{os.getpid()}-{time.time_ns():x}.json"
        self._families = {name: _Family(meter) for name, meter in _METERS.items()}
        self._lock = threading.Lock()  # calls of models are counted in their threads

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        with self._lock:
            self._families["requests"].add((path, str(status)))
            self._families["seconds"].add((path,), seconds)

    def batch(self, model: str, requests: int, examples: int, labels: dict[str, int]) -> None:
        """Count a call of a model and its answers."""
        with self._lock:
            self._families["together"].add((model,), requests)
            self._families["batch"].add((model,), examples)
            family = self._families["labels"]
            for label, times in labels.items():
                key = (model, label)
                if key not in family.values and len(family.values) >= _SERIES:
                    key = (model, "…")
                family.add(key, times)

    def loaded(self, model: str, outcome: str) -> None:
        """Count a model file that was taken up or refused."""
        with self._lock:
            self._families["loads"].add((model, outcome))

    def leave(self, in_flight: int) -> None:
        """Leave the numbers for other workers."""
        fresh = self._file.with_suffix(f".{threading.get_ident()}")
        fresh.write_text(json.dumps(self._plain(in_flight)), encoding="utf-8")
        fresh.replace(self._file)

    def gone(self) -> None:
        """Take back what only a living worker has."""
        with self._lock:
            plain = self._plain(0, living=False)
        self._file.write_text(json.dumps(plain), encoding="utf-8")

    def text(self, in_flight: int) -> str:
        """Return the numbers of all workers in the text format."""
        total = {name: _Family(meter) for name, meter in _METERS.items()}
        _add_up(total, self._plain(in_flight))
        for other in self._file.parent.glob("metrics-*.json"):
            if other != self._file:
                _add_up(total, json.loads(other.read_text(encoding="utf-8")))
        lines = [line for family in total.values() for line in family.lines()]
        return "\n".join(lines) + "\n"

    def _plain(self, in_flight: int, living: bool = True) -> dict[str, Any]:
        gauges = {"flight": float(in_flight), "memory": _resident(), "files": _open_files()}
        plain = {
            name: [[list(key), row] for key, row in list(family.values.items())]
            for name, family in self._families.items()
        }
        return plain | {name: [[[], [v if living else 0.0]]] for name, v in gauges.items()}


def _add_up(total: dict[str, _Family], plain: dict[str, Any]) -> None:
    for name, rows in plain.items():
        values = total[name].values
        for key, row in rows:
            have = values.get(tuple(key), [0.0] * len(row))
            values[tuple(key)] = [a + b for a, b in zip(have, row, strict=True)]


def _resident() -> float:
    try:
        with open("/proc/self/statm", "rb") as file:
            return float(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError):
        return 0.0


def _open_files() -> float:
    try:
        return float(len(os.listdir("/proc/self/fd")))
    except OSError:
        return 0.0
