"""The page about the lab shows live views that are written with the documentation."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_view_that_the_page_shows_is_written(tmp_path: Path) -> None:
    page = (DOCS / "lab.md").read_text(encoding="utf-8")
    shown = re.findall(r'<iframe src="plots/(\w+\.html)" title="[^"]+"', page)
    subprocess.run([sys.executable, DOCS / "build_lab.py", tmp_path], check=True, timeout=120)
    assert sorted(shown) == sorted(path.name for path in tmp_path.iterdir())
    for path in tmp_path.iterdir():
        assert path.stat().st_size < 500_000
