"""Everything linnet raises on purpose.

All exceptions derive from :class:`LinnetError`; those about values also derive from
:class:`ValueError`, so code that already catches scikit-learn's errors keeps working.
"""

from __future__ import annotations

from os import PathLike, fspath

__all__ = [
    "ClusterError",
    "DataError",
    "DataWarning",
    "FormatError",
    "LinnetError",
    "ModelFileError",
    "NotFittedError",
    "ParameterError",
]


class LinnetError(Exception):
    """Base class of every error linnet raises on purpose."""


class ParameterError(LinnetError, ValueError):
    """A parameter has a value that cannot work; the message says which values can."""


class DataError(LinnetError, ValueError):
    """The data cannot be used as given; the message says why and what to do."""


class FormatError(DataError):
    """A file does not follow its format.

    Parameters
    ----------
    message : str
        What is wrong and what was expected.
    file, line, column
        Where; line and column count from 1. Each may be unknown (None).

    Examples
    --------
    >>> print(FormatError("expected index:value", file="a.svm", line=3, column=7))
    a.svm:3:7: expected index:value
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | PathLike[str] | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.message = message
        self.file = None if file is None else fspath(file)
        self.line = line
        self.column = column
        where = [str(part) for part in (self.file, line, column) if part is not None]
        super().__init__(f"{':'.join(where)}: {message}" if where else message)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore_format_error, (self.message, self.file, self.line, self.column)


def _restore_format_error(
    message: str, file: str | None, line: int | None, column: int | None
) -> FormatError:
    return FormatError(message, file=file, line=line, column=column)


class ModelFileError(DataError):
    """A model file cannot be read or written.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    file : str or path-like, optional
        Which file.

    Examples
    --------
    >>> print(ModelFileError("the file is empty; save the model again", file="m.linnet"))
    m.linnet: the file is empty; save the model again
    """

    def __init__(self, message: str, *, file: str | PathLike[str] | None = None) -> None:
        self.message = message
        self.file = None if file is None else fspath(file)
        super().__init__(message if self.file is None else f"{self.file}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return _restore_model_file_error, (self.message, self.file)


def _restore_model_file_error(message: str, file: str | None) -> ModelFileError:
    return ModelFileError(message, file=file)


class ClusterError(LinnetError, RuntimeError):
    """A cluster did not finish its work; the message names the part and the worker."""


class NotFittedError(LinnetError, ValueError, AttributeError):
    """The estimator must be fitted before this call.

    scikit-learn's own ``NotFittedError`` is also a ValueError and an AttributeError, so code
    that catches either kind works with both.
    """


class DataWarning(UserWarning):
    """Something in the data looks wrong, but does not stop the work."""
