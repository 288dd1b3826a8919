"""The public names of linnet and of its packages: listed once, in stubs, loaded when first used.

The stub beside an ``__init__.py`` has a line for each name, which type checkers read too:
``from linnet.learn.crf import CRF as CRF``, or for all names of a package within
``from linnet.explain.plots import *``.
"""

from __future__ import annotations

from _thread import RLock
from importlib import import_module
from os import path

TYPE_CHECKING = False  # as in typing, which takes longer to load than all else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["attach", "learner_homes", "public_class", "public_homes"]

# scikit-learn's modules import each other in a circle: of two threads that load a part of it at the
# same time, one finds a module half made. So one thread at a time loads names.
_one_at_a_time = RLock()


def attach(
    package: str, init: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for a package's ``__init__.py``."""
    homes = _stub_homes(init)

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with _one_at_a_time:
            home = import_module(homes[name])
            if homes[name] != package and hasattr(home, name):
                value = getattr(home, name)
            else:  # a module
                value = import_module(f"{homes[name]}.{name}")
            setattr(import_module(package), name, value)
        return value

    names = sorted(homes)
    return load, lambda: names, names


def public_homes() -> dict[str, str]:
    """Return where every public name of linnet lives.

    Examples
    --------
    >>> public_homes()["CRF"]
    'linnet.learn.crf'
    """
    return _stub_homes(path.join(path.dirname(__file__), "__init__.py"))


def learner_homes() -> dict[str, str]:
    """Return the module of every public name that is a learner or a part of one."""
    return {name: home for name, home in public_homes().items() if ".learn." in home}


def public_class(name: str, *, within: str = "linnet") -> type[Any] | None:
    """Return the public class of that name whose module lies within a package, if there is one.

    Examples
    --------
    >>> public_class("CRF"), public_class("CRF", within="linnet.data"), public_class("load")
    (<class 'linnet.learn.crf.CRF'>, None, None)
    """
    home = public_homes().get(name, "")
    if not home.startswith(f"{within}."):
        return None
    with _one_at_a_time:
        value = getattr(import_module(home), name, None)
    return value if isinstance(value, type) else None


def _stub_homes(init: str) -> dict[str, str]:
    homes: dict[str, str] = {}
    with open(f"{path.splitext(init)[0]}.pyi", encoding="utf-8") as stub:
        for line in stub:
            match line.split():
                case ["from", home, "import", "*", *_]:
                    within = path.join(path.dirname(init), home.rpartition(".")[2])
                    homes |= _stub_homes(path.join(within, "__init__.py"))
                case ["from", home, "import", name, "as", _]:
                    homes[name] = home
    return homes
