"""The machine that pickles are programs for, without the power to call anything.

A pickle is a list of instructions for a stack of values. Those that make plain values (texts,
numbers, lists, dictionaries) are carried out; a class becomes a :class:`Record` of what was stored
of it, if its name is on the list (:mod:`linnet.foreign.pickled.names`), and a call is only ever
one of the few functions there, which make NumPy arrays of bytes that the file holds. Nothing is
imported, and nothing that the file could choose is run.

Every length is compared with the bytes that are left. The memory is a list, and a dictionary where
a file asks for other places than the next; keys are texts and small numbers, so that none takes
long to compare; nothing here walks through what it has made, so that depth costs nothing; and what
is made of a value again and again is counted, so that a short file cannot keep the machine busy.
"""

from __future__ import annotations

import struct
from typing import Any, NoReturn

from linnet import _core
from linnet.errors import ModelFileError
from linnet.foreign.pickled import names
from linnet.foreign.pickled.arrays import DType, Held, wrapped_array
from linnet.foreign.pickled.steps import SMALL, STEPS, STOP

__all__ = ["Machine", "Record"]

_KEYS = (str, int, bytes, type(None))
_WORK = 16  # items that are made again, for each byte of the file


class Record:
    """An object of a class that is on the list: its name, and its state as plain values.

    Attributes
    ----------
    name : str
        Such as ``sklearn.svm._classes.LinearSVC``.
    state : dict
    """

    __slots__ = ("name", "state")

    def __init__(self, name: str) -> None:
        self.name = name
        self.state: dict[Any, Any] = {}

    @property
    def cls(self) -> str:
        """The name of the class alone."""
        return self.name.rpartition(".")[2]


class Machine:
    """A pickle in bytes, and how far it has been carried out.

    Parameters
    ----------
    data : bytes
    file : str
        For messages.
    at : int
        Where the pickle begins.

    Examples
    --------
    >>> import pickle
    >>> Machine(pickle.dumps({"a": [1, 2.5, None]}), "m.pkl").run()
    {'a': [1, 2.5, None]}
    >>> Machine(b"cos\\nsystem\\n(S'ls'\\ntR.", "m.pkl").run()
    Traceback (most recent call last):
        ...
    linnet.errors.ModelFileError: m.pkl: this Python pickle names os.system, ...
    """

    def __init__(self, data: bytes, file: str, at: int = 0, inside: bool = False) -> None:
        self.data, self.file, self.at, self.inside = data, file, at, inside
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: list[Any] = []  # by places that follow each other
        self.far: dict[int, Any] = {}  # by all others
        self.work = 1000 + _WORK * len(data)

    def run(self) -> Any:
        """Return what the pickle holds; ``at`` is then behind it."""
        data, step, end = self.data, STEPS, len(self.data)
        try:
            while self.at < end:
                self.plain_steps()
                if self.at == end:
                    break
                code = data[self.at]
                self.at += 1
                if code == STOP:
                    return self.stack.pop()
                does = step[code]
                if does is None:
                    self.wrong(f"the instruction {code:#04x}")
                does(self)
        except ModelFileError:
            raise
        except (IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
            kind = type(error).__name__
            self.refuse(f"is damaged before byte {self.at} ({kind}: {str(error)[:60]})")
        self.refuse(f"ends at byte {end}, before its end is said")

    def plain_steps(self) -> None:
        """Let the core carry out what is nearly all of a file: texts, numbers and their lists.

        It stops before the first instruction that it does not know, or that is wrong; the steps
        here carry out all of them.
        """
        if not self.far:
            self.at = _core.pickle_steps(
                self.data, self.at, self.stack, self.marks, self.memo, names.SCALAR
            )

    # What the file says

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        at = self.at
        if not 0 <= size <= len(self.data) - at:
            self.refuse(f"ends at byte {len(self.data)}, within {size} bytes from {at}")
        self.at = at + size
        return self.data[at : at + size]

    def number(self, code: str, size: int) -> Any:
        """Return the next number, as :mod:`struct` names its type."""
        return struct.unpack(code, self.take(size))[0]

    def line(self) -> bytes:
        """Return the bytes up to the next line feed."""
        stop = self.data.find(b"\n", self.at)
        if stop < 0:
            self.refuse(f"ends at byte {len(self.data)}, within a line")
        raw, self.at = self.data[self.at : stop], stop + 1
        return raw

    def remember(self, place: int) -> None:
        """Put what is on top of the stack in a place of the memory."""
        if place < len(self.memo):
            self.memo[place] = self.stack[-1]
        elif place == len(self.memo) and not self.far:
            self.memo.append(self.stack[-1])
        else:
            self.far[place] = self.stack[-1]

    def remembered(self, place: int) -> Any:
        """Return what is in a place of the memory."""
        value = self.memo[place] if place < len(self.memo) else self.far[place]
        text = value.text(place) if isinstance(value, _core.Vocabulary) else None
        return value if text is None else text

    def dictionary(self) -> dict[Any, Any]:
        """Return the dictionary on top of the stack; a vocabulary becomes one of Python's first."""
        target = self.stack[-1]
        if isinstance(target, _core.Vocabulary):
            self.stack[-1] = whole = target.dict()
            for place, value in enumerate(self.memo):
                if value is target:
                    text = target.text(place)
                    self.memo[place] = whole if text is None else text
            return whole
        if not isinstance(target, dict):
            self.wrong("an item for no dictionary")
        return target

    def since_mark(self) -> list[Any]:
        """Return what was put on the stack since the last mark, and take it off."""
        mark = self.marks.pop()
        values = self.stack[mark:]
        if mark > len(self.stack):
            self.wrong("a mark above the stack")
        del self.stack[mark:]
        return values

    def refuse(self, why: str) -> NoReturn:
        """Refuse the file."""
        raise ModelFileError(f"this Python pickle {why}", file=self.file)

    def wrong(self, what: str) -> NoReturn:
        """Refuse something that no pickle of a model has."""
        self.refuse(f"has {what} before byte {self.at}, which linnet does not carry out")

    # What it does

    def named(self, module: str, name: str) -> Any:
        """Return what stands for a class or function of the list."""
        full = f"{module}.{name}"
        meaning = names.MEANING.get(full)
        if meaning is None:
            self.refuse(
                f"names {full[:80]}, which is none of the classes that linnet reads; a pickle can "
                "run code, so nothing else is opened. Functions and classes of your own "
                "(tokenizer=, preprocessor=, analyzer=, steps of a pipeline) cannot be read"
            )
        return meaning

    def key(self, value: Any) -> Any:
        """Return what may be the key of a dictionary or a member of a set."""
        if not isinstance(value, _KEYS) or (isinstance(value, int) and abs(value) > SMALL):
            self.wrong(f"a key of the type {type(value).__name__}")
        return value

    def spend(self, *values: Any) -> None:
        """Refuse a file that makes more of its values than it can have a use for."""
        self.work -= 1 + sum(len(value) for value in values if hasattr(value, "__len__"))
        if self.work < 0:
            self.wrong("far more to be made than it holds")

    def call(self) -> None:
        """Carry out a call: of a class without more than plain values, or of NumPy's functions."""
        arguments = self.stack.pop()
        meaning = self.stack.pop()
        if not isinstance(arguments, tuple) or not isinstance(meaning, names.Meaning):
            self.wrong("a call of something else")
        if meaning.kind == names.RECORD:
            self.stack.append(Record(meaning.name))
        elif meaning.kind == names.RECONSTRUCTOR:
            self.stack.append(self.instance(arguments[0]))
        elif meaning.does is None:
            self.wrong(f"a call of {meaning.name}")
        else:
            self.spend(*arguments)
            self.stack.append(meaning.does(*arguments))

    def instance(self, meaning: Any) -> Any:
        """Return an object of a class, before its state is known."""
        if not isinstance(meaning, names.Meaning) or meaning.kind != names.RECORD:
            self.wrong("an object of no class")
        return Record(meaning.name)

    def build(self) -> None:
        """Give an object its state."""
        state, thing = self.stack.pop(), self.stack[-1]
        if isinstance(thing, (DType, Held)):
            self.spend(*state)
            thing.fill(state)
            return
        if not isinstance(thing, Record) or not isinstance(state, dict):
            self.wrong(f"a state of the type {type(state).__name__}")
        self.spend(state)
        thing.state.update(state)
        if thing.cls == names.WRAPPER:
            self.stack[-1] = wrapped_array(self, thing.state)

    def nested(self) -> Any:
        """Return what the pickle right here holds, within another one."""
        if self.inside:
            self.wrong("a pickle in a pickle in a pickle")
        inner = Machine(self.data, self.file, self.at, inside=True)
        value = inner.run()
        self.at = inner.at
        return value
