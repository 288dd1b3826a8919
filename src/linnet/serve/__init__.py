"""Models behind HTTP: one application for texts, rows and sentences, fast and bounded.

``linnet serve`` starts it; docs/serve.md describes it. It needs starlette and uvicorn, which
``pip install linnet[serve]`` brings.
"""

from __future__ import annotations
