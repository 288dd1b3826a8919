"""plane"""

from collections.abc import Mapping
from typing import Any


def answer(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {}
