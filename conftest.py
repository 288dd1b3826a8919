"""What tests and docstring examples share: no display, no open figure, no luck, no silent skip."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A busy machine is no defect, and where all checks must pass they draw the same examples each time.
settings.register_profile("linnet", deadline=None, derandomize="CI" in os.environ)
settings.register_profile("few", settings.get_profile("linnet"), max_examples=10)
settings.load_profile("linnet")

# With `--skips=N` a run must skip exactly N tests, each for one of these reasons.
REASONS = (
    "SCIPY_ARRAY_API is not set",  # scikit-learn's checks of arrays that linnet does not take
    "priors of their own belong to MaxEnt",  # combinations that have no meaning
    "root may write",  # everywhere, so no folder refuses
    "the program wapiti is not installed",  # it has no package and must be built
)


@pytest.fixture(autouse=True)
def figures_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw without a display, and forget the figures of a test at its end."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that says how many tests may be skipped."""
    parser.addoption("--skips", type=int, help="fail unless exactly so many tests are skipped")


def pytest_configure(config: pytest.Config) -> None:
    """Count skips where the results come together, which is not in a worker of pytest-xdist."""
    if config.getoption("--skips") is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips(config.getoption("--skips")), "skips")


class Skips:
    """Counts skipped tests by reason and fails a run that skips others than expected."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.reasons: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test that was skipped and not expected to fail."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self._count(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a file that was skipped whole."""
        if report.skipped:
            self._count(report)

    def _count(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        self.reasons[reason.removeprefix("Skipped: ")] += 1

    @property
    def wrong(self) -> bool:
        """Whether other tests were skipped, or more, or fewer, than expected."""
        unlisted = [r for r in self.reasons if not r.startswith(REASONS)]
        return bool(unlisted) or self.reasons.total() != self.expected

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail the run."""
        if self.wrong and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which tests were skipped."""
        if self.wrong:
            total = self.reasons.total()
            terminalreporter.section(f"{total} tests skipped, {self.expected} expected", red=True)
            for reason, times in self.reasons.items():
                listed = "" if reason.startswith(REASONS) else "  (not listed in conftest.py)"
                terminalreporter.line(f"{times} × {reason}{listed}")
