"""What a trainer says on its way, line by line, and the events that the lines make up."""

from __future__ import annotations

from typing import Any

__all__ = ["TrainLog", "head", "tail"]


class TrainLog:
    """The lines so far, and what each iteration found.

    Attributes
    ----------
    log : list of str
    iterations : list of dict
        Such as ``{"num": 1, "loss": 3.5, "scores": {}}``.
    featgen_num_features : int, optional
    """

    def __init__(self) -> None:
        self.log: list[str] = []
        self.iterations: list[dict[str, Any]] = []
        self.featgen_num_features: int | None = None
        self.last_log = ""
        self._event, self._left = "", 0

    @property
    def last_iteration(self) -> dict[str, Any] | None:
        """What the last iteration found."""
        return self.iterations[-1] if self.iterations else None

    def expect(self, event: str, lines: list[str]) -> None:
        """Take it that these lines follow, and that the last of them ends an event."""
        self._event, self._left, self.last_log = event, len(lines), "".join(lines)

    def feed(self, line: str) -> str | None:
        """Take a line; return the event that it ends, if any."""
        self.log.append(line)
        self._left -= 1
        return self._event if self._left == 0 else None


def head(algorithm: str, values: dict[str, Any]) -> list[str]:
    """Return the lines before training: what was chosen."""
    shown = [f"{name}: {value:f}" if isinstance(value, float) else f"{name}: {value}"
             for name, value in values.items()]  # fmt: skip
    return ["Feature generation\n", "type: CRF1d\n", *(f"{line}\n" for line in shown), "\n"]


def tail(seconds: float) -> list[str]:
    """Return the lines after training."""
    return [f"Total seconds required for training: {seconds:.3f}\n", "\n"]
