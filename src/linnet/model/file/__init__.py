"""One safe model file: everything a model is, in a form that runs no code when it is opened.

A ``.linnet`` file is a safetensors container: JSON and arrays, a format version and a checksum.
:func:`save` writes it beside its target and renames it; :func:`load` maps it into memory, checks
it and makes one of linnet's own classes from it, so processes that load the same file share its
pages. Importing this package loads NumPy and nothing heavier. The format is in
docs/model_file.md.

Examples
--------
>>> import linnet
>>> path = getfixture("tmp_path") / "animals.linnet"
>>> bags, animals = [{"barks": 1}, {"meows": 1}], ["dog", "cat"]
>>> save(linnet.MultinomialNB().fit(bags, animals), path)
>>> load(path).predict([{"meows": 2}]).tolist()
['cat']
"""

from __future__ import annotations

import os
from typing import Any

from linnet.errors import (
    DataError,
    LinnetError,
    ModelFileError,
    NotFittedError,
    ParameterError,
)
from linnet.model.file.classes import public_model, required_class, stored_form
from linnet.model.file.layout import ModelFile, pack_strings, unpack_strings
from linnet.model.file.reading import beginning, is_own, read_model
from linnet.model.file.writing import write_model

__all__ = [
    "ModelFile",
    "load",
    "pack_strings",
    "read_model",
    "save",
    "unpack_strings",
    "write_model",
]


def save(model: Any, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a fitted model to a file that :func:`load` reads back exactly.

    Parameters
    ----------
    model : a learner or text model of linnet
    path : str or path-like
        By custom it ends in ``.linnet``.
    **options
        What the class of the model offers, such as the number type of the weights of a text
        model; learners have none.

    Raises
    ------
    NotFittedError
        When the model has not been fitted.
    ModelFileError
        When it holds what no file can, such as a function; the message names the parameter.
    ParameterError
        When `model` is not one of linnet's.

    Examples
    --------
    >>> import linnet
    >>> path = getfixture("tmp_path") / "m.linnet"
    >>> save(linnet.SVM().fit([[0.0], [1.0]], ["no", "yes"]), path)
    >>> load(path).predict([[2.0]]).tolist()
    ['yes']
    """
    if hasattr(model, "_stored"):  # what it has learned is an object of its own
        model = model._stored()
    name, stored = type(model).__name__, model
    if public_model(name) is not type(model):
        name, stored = stored_form(model)
    if hasattr(stored, "_to_file"):
        config, arrays, record = stored._to_file(**options)
    elif options:
        raise ParameterError(f"{name} has no options for saving, got {', '.join(options)}.")
    else:
        config, arrays, record = _learner_to_file(stored, path)
    write_model(path, name, config, arrays, record)


def load(path: str | os.PathLike[str], *, verify: bool = True) -> Any:
    """Read a model that :func:`save`, ``linnet train`` or another program has written.

    No code is run that the file could choose: it names one of linnet's public classes and gives
    it numbers and text. A learner of another package must be imported before. Files of other
    programs are known by their content (docs/foreign.md).

    Parameters
    ----------
    path : str or path-like
    verify : bool, default True
        Compare the checksum, which reads the whole file once.

    Returns
    -------
    model
        Of the class that was saved. Its arrays are read-only.

    Raises
    ------
    ModelFileError
        When the file is not a model, damaged, or written by a newer linnet.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "m.linnet"
    >>> _ = path.write_bytes(b"not a model")
    >>> load(path)
    Traceback (most recent call last):
        ...
    linnet.errors.ModelFileError: ...m.linnet: this is not a linnet model, or it is damaged; ...
    """
    head = beginning(path)
    if head and not is_own(head):
        from linnet import foreign

        model = foreign.read(path, head)
        if model is not None:
            return model
    file = read_model(path, verify=verify)
    try:
        cls: Any = public_model(file.name) or required_class(file.name)
        if hasattr(cls, "_from_file"):
            return cls._from_file(file)
        from linnet.model.file.learners import decode_learner

        return decode_learner(cls, file.config, file.arrays, fitted=True)
    except ModelFileError as error:
        raise ModelFileError(error.message, file=file.path) from None
    except (
        ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError,
        ValueError, LinnetError,
    ) as error:  # fmt: skip
        raise ModelFileError(
            f"its contents do not make a {file.name} ({type(error).__name__}: {error}); it was "
            "changed after it was saved, or saved by another version of linnet "
            f"({file.version}); save the model again",
            file=file.path,
        ) from error


def _learner_to_file(model: Any, path: str | os.PathLike[str]) -> tuple[Any, Any, Any]:
    from linnet.model.file.learners import learner_to_file

    try:
        return learner_to_file(model)
    except NotFittedError:
        raise
    except DataError as error:
        raise ModelFileError(f"cannot be saved: {error}", file=path) from None
