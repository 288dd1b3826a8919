"""Where real data lies."""

from __future__ import annotations

import os
from pathlib import Path


def data_root() -> Path:
    """Return the folder of real data: LINNET_DATA, or shared/data beside the project."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    root = Path(os.environ.get("LINNET_DATA", default))
    if not root.is_dir():
        raise SystemExit(f"No data in {root}: set LINNET_DATA to the folder with imdb, …")
    return root
