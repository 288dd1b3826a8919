"""The instructions of pickles that a machine carries out; all others are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.foreign.pickled.machine import Machine

__all__ = ["SMALL", "STEPS", "STOP", "Step"]

Step = Callable[["Machine"], None]
STOP = ord(".")
#: The largest place in the memory, and the largest number that is a key.
SMALL = 1 << 32
_PROTOCOL = 5
_DIGITS = 1000


def _push(make: Callable[[Machine], Any]) -> Step:
    """Return the step that puts a value on the stack."""

    def step(machine: Machine) -> None:
        machine.stack.append(make(machine))

    return step


def _long(machine: Machine, size: int) -> int:
    if size > _DIGITS:
        machine.wrong("an integer of thousands of digits")
    return int.from_bytes(machine.take(size), "little", signed=True)


def _integer(machine: Machine) -> Any:
    word = machine.line().decode("ascii")
    if len(word) > _DIGITS:
        machine.wrong("an integer of thousands of digits")
    return {"00": False, "01": True}.get(word) if word in ("00", "01") else int(word.rstrip("L"))


def _text(machine: Machine, size: int) -> str:
    return machine.take(size).decode("utf-8", "surrogatepass")


def _quoted(machine: Machine) -> str:
    word = machine.line()
    if len(word) < 2 or word[:1] not in (b"'", b'"') or word[-1:] != word[:1]:
        machine.wrong("a text without quotes")
    return word[1:-1].decode("unicode_escape")


def _proto(machine: Machine) -> None:
    version = machine.number("B", 1)
    if version > _PROTOCOL:
        machine.wrong(f"protocol {version}")


def _append(machine: Machine) -> None:
    value = machine.stack.pop()
    _list(machine).append(value)


def _list(machine: Machine) -> list[Any]:
    target = machine.stack[-1]
    if not isinstance(target, list):
        machine.wrong("an item for no list")
    return target


def _appends(machine: Machine) -> None:
    values = machine.since_mark()
    _list(machine).extend(values)


def _pairs(machine: Machine, values: list[Any]) -> dict[Any, Any]:
    if len(values) % 2:
        machine.wrong("a key without a value")
    return dict(zip(map(machine.key, values[::2]), values[1::2], strict=True))


def _set_items(machine: Machine) -> None:
    pairs = _pairs(machine, machine.since_mark())
    machine.dictionary().update(pairs)


def _set_item(machine: Machine) -> None:
    value, key = machine.stack.pop(), machine.stack.pop()
    machine.dictionary()[machine.key(key)] = value


def _add_items(machine: Machine) -> None:
    values = machine.since_mark()
    target = machine.stack[-1]
    if not isinstance(target, set):
        machine.wrong("an item for no set")
    target.update(map(machine.key, values))


def _tuple_of(size: int) -> Step:
    def step(machine: Machine) -> None:
        if len(machine.stack) < size:
            machine.wrong("a tuple of what is not there")
        machine.stack[-size:] = [tuple(machine.stack[-size:])]

    return step


def _memoize(machine: Machine) -> None:
    machine.remember(len(machine.memo) + len(machine.far))


def _place(machine: Machine) -> int:
    place = _integer(machine)
    if not 0 <= place < SMALL:
        machine.wrong(f"the memory place {place}")
    return int(place)


def _put(number: Callable[[Machine], int]) -> Step:
    def step(machine: Machine) -> None:
        machine.remember(number(machine))

    return step


def _stack_global(machine: Machine) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    if not isinstance(name, str) or not isinstance(module, str):
        machine.wrong("a name that is no text")
    machine.stack.append(machine.named(module, name))


def _new_object(machine: Machine) -> None:
    arguments, meaning = machine.stack.pop(), machine.stack.pop()
    if arguments != ():
        machine.wrong("an object made of arguments")
    machine.stack.append(machine.instance(meaning))


_BY_CODE: dict[bytes, Step] = {
    b"\x80": _proto,
    b"\x95": lambda m: _skip_frame(m),
    b"(": lambda m: m.marks.append(len(m.stack)),
    b"0": lambda m: _pop(m),
    b"1": lambda m: _drop(m),
    b"2": _push(lambda m: m.stack[-1]),
    b"N": _push(lambda m: None),
    b"\x88": _push(lambda m: True),
    b"\x89": _push(lambda m: False),
    b"I": _push(_integer),
    b"L": _push(_integer),
    b"J": _push(lambda m: m.number("<i", 4)),
    b"K": _push(lambda m: m.number("B", 1)),
    b"M": _push(lambda m: m.number("<H", 2)),
    b"\x8a": _push(lambda m: _long(m, m.number("B", 1))),
    b"\x8b": _push(lambda m: _long(m, m.number("<I", 4))),
    b"F": _push(lambda m: float(m.line())),
    b"G": _push(lambda m: m.number(">d", 8)),
    b"S": _push(_quoted),
    b"T": _push(lambda m: m.take(m.number("<I", 4)).decode("latin-1")),
    b"U": _push(lambda m: m.take(m.number("B", 1)).decode("latin-1")),
    b"V": _push(lambda m: m.line().decode("raw-unicode-escape")),
    b"X": _push(lambda m: _text(m, m.number("<I", 4))),
    b"\x8c": _push(lambda m: _text(m, m.number("B", 1))),
    b"\x8d": _push(lambda m: _text(m, m.number("<Q", 8))),
    b"B": _push(lambda m: m.take(m.number("<I", 4))),
    b"C": _push(lambda m: m.take(m.number("B", 1))),
    b"\x8e": _push(lambda m: m.take(m.number("<Q", 8))),
    b"\x96": _push(lambda m: m.take(m.number("<Q", 8))),
    b"]": _push(lambda m: []),
    b"}": _push(lambda m: {}),
    b")": _push(lambda m: ()),
    b"\x8f": _push(lambda m: set()),
    b"l": _push(lambda m: m.since_mark()),
    b"t": _push(lambda m: tuple(m.since_mark())),
    b"d": _push(lambda m: _pairs(m, m.since_mark())),
    b"\x91": _push(lambda m: frozenset(map(m.key, m.since_mark()))),
    b"\x85": _tuple_of(1),
    b"\x86": _tuple_of(2),
    b"\x87": _tuple_of(3),
    b"a": _append,
    b"e": _appends,
    b"s": _set_item,
    b"u": _set_items,
    b"\x90": _add_items,
    b"\x94": _memoize,
    b"p": _put(lambda m: _place(m)),
    b"q": _put(lambda m: m.number("B", 1)),
    b"r": _put(lambda m: m.number("<I", 4)),
    b"g": _push(lambda m: m.remembered(_place(m))),
    b"h": _push(lambda m: m.remembered(m.number("B", 1))),
    b"j": _push(lambda m: m.remembered(m.number("<I", 4))),
    b"c": _push(lambda m: m.named(m.line().decode(), m.line().decode())),
    b"\x93": _stack_global,
    b"R": lambda m: m.call(),
    b"b": lambda m: m.build(),
    b"\x81": _new_object,
}


def _skip_frame(machine: Machine) -> None:
    machine.take(8)  # how long the next part is, for readers of streams


def _pop(machine: Machine) -> None:
    if machine.marks and machine.marks[-1] == len(machine.stack):
        machine.marks.pop()
    else:
        machine.stack.pop()


def _drop(machine: Machine) -> None:
    machine.since_mark()


STEPS: list[Step | None] = [_BY_CODE.get(bytes([code])) for code in range(256)]
