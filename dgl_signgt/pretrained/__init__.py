"""Trained models that come with the package.

Each is a pair of files in this folder: ``<name>.pt``, the weights with their
recipe, and ``<name>.md``, a card that says how it was trained, what it scores
and where its limits are. ``python -m results.pretrained`` makes both.
"""

from __future__ import annotations

from pathlib import Path

from ..errors import SignGTError, nearest
from ..training import TrainedModel, load_checkpoint

__all__ = ["load_pretrained", "pretrained_names"]

_FOLDER = Path(__file__).resolve().parent


def pretrained_names() -> list[str]:
    """The names that :func:`load_pretrained` takes.

    Returns
    -------
    list of str
        Each is the name of the recipe that the model was trained with.

    Examples
    --------
    >>> "signgt_nci5k" in pretrained_names()
    True
    """
    return sorted(path.stem for path in _FOLDER.glob("*.pt"))


def load_pretrained(name: str, device: str = "cpu") -> TrainedModel:
    """Load a trained model that comes with the package.

    Parameters
    ----------
    name : str
        One of :func:`pretrained_names`.
    device : str, optional
        Where to put the model. Default: cpu.

    Returns
    -------
    TrainedModel
        The model in eval mode and its recipe, as
        :func:`~dgl_signgt.training.load_checkpoint` gives them.

    Examples
    --------
    >>> trained = load_pretrained("signgt_nci5k")
    >>> trained.num_classes
    3
    >>> predictions = predict(trained)
    """
    names = pretrained_names()
    if name not in names:
        raise SignGTError(
            f"no pretrained model {name!r}{nearest(name, names)}; "
            f"there are: {', '.join(names) or 'none'}"
        )
    return load_checkpoint(_FOLDER / f"{name}.pt", device)
