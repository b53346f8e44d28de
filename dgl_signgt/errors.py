"""Errors that a person can act on: each message is one clear line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["DataError", "RecipeError", "SignGTError", "nearest"]


class SignGTError(Exception):
    """A problem in what the user gave us; the message is for a person.

    The command line prints it as one line and exits with code 2.
    """


class DataError(SignGTError):
    """A data file is missing, damaged or not what its format promises."""


class RecipeError(SignGTError):
    """A recipe has a key or a value that is not valid."""


def nearest(name: str, valid: Iterable[str]) -> str:
    """Hint at the valid name that looks most like ``name``.

    Parameters
    ----------
    name : str
        What the user wrote.
    valid : iterable of str
        The names that would have been accepted.

    Returns
    -------
    str
        ``" (did you mean 'x'?)"``, or an empty string where nothing is near.

    Examples
    --------
    >>> nearest("num_layer", ["num_layers", "num_heads"])
    " (did you mean 'num_layers'?)"
    >>> nearest("Adamw", ["Adam", "AdamW"])
    " (did you mean 'AdamW'?)"
    >>> nearest("zzz", ["num_layers"])
    ''
    """
    # Capitals alone should not make another name the nearest one.
    lower = {str(word).lower(): word for word in valid}
    found = difflib.get_close_matches(str(name).lower(), lower, n=1)
    return f" (did you mean '{lower[found[0]]}'?)" if found else ""
