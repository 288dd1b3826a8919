"""Write the live pages of docs/lab.md: each is a link of the lab, exported.

``python docs/build_lab.py [FOLDER]`` writes them, into docs/plots by default.
"""

from __future__ import annotations

import sys
from pathlib import Path

from linnet.lab.export import export_link

PAGES = {
    "lab_plane": "#plane?step=12",
    "lab_text": "#text?step=1",
    "lab_lattice": "#lattice?example=bias&cell=%5B%22memm%22%2C1%2C1%5D",
    "lab_neighbours": "#neighbours",
    "lab_losses": "#losses?step=6",
    "lab_model": "#model?example=predictable%20with%20no%20originality",
}


def main(folder: Path) -> None:
    """Write all pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, link in PAGES.items():
        (folder / f"{name}.html").write_text(export_link(link), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).resolve().parent / "plots")
