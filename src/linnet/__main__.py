"""``python -m linnet`` is the command ``linnet``."""

from __future__ import annotations

from linnet.cli import main

if __name__ == "__main__":
    main()
