"""Molecules with atoms coloured by the attention they receive."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import SignGTError
from .style import NEGATIVE, POSITIVE, Axes, as_array, new_axes

__all__ = ["molecule_of_graph", "plot_molecule"]

_BONDS = ("SINGLE", "DOUBLE", "TRIPLE", "AROMATIC")


def molecule_of_graph(
    src: Any,
    dst: Any,
    symbols: Sequence[str],
    bonds: Sequence[str] | None = None,
) -> Any:
    """An RDKit molecule of a graph, in the graph's order of atoms.

    Parameters
    ----------
    src, dst : array-like
        Ends of the edges; each bond may be there once or in both
        directions.
    symbols : sequence of str
        The element of each node; a name that is no element becomes an
        atom of unknown kind with that name.
    bonds : sequence of str, optional
        ``single``, ``double``, ``triple`` or ``aromatic`` for each edge.
        Default: all single.

    Returns
    -------
    rdkit.Chem.Mol
        For drawing; its valences are not checked.

    Examples
    --------
    >>> molecule_of_graph([0, 1], [1, 2], ["C", "C", "O"]).GetNumBonds()
    2
    """
    chem = _chem()
    table = chem.GetPeriodicTable()
    elements = {table.GetElementSymbol(n) for n in range(1, 119)}
    molecule = chem.RWMol()
    for symbol in symbols:
        atom = chem.Atom(symbol if symbol in elements else 0)
        if symbol not in elements:
            atom.SetProp("_displayLabel", str(symbol))
        atom.SetNoImplicit(True)
        molecule.AddAtom(atom)
    pairs = zip(as_array(src).tolist(), as_array(dst).tolist())
    for position, (one, other) in enumerate(pairs):
        if one == other or molecule.GetBondBetweenAtoms(one, other):
            continue
        name = "SINGLE" if bonds is None else str(bonds[position]).upper()
        if name not in _BONDS:
            raise ValueError(f"bond must be one of {_BONDS}, got {name!r}.")
        molecule.AddBond(one, other, getattr(chem.BondType, name))
        if name == "AROMATIC":
            for end in (one, other):
                molecule.GetAtomWithIdx(end).SetIsAromatic(True)
    molecule.UpdatePropertyCache(strict=False)
    chem.FastFindRings(molecule)
    return molecule.GetMol()


def plot_molecule(
    molecule: Any,
    values: Any,
    title: str = "Signed attention received",
    ax: Axes | None = None,
) -> Axes:
    """Draw a molecule, its atoms coloured by signed values.

    Parameters
    ----------
    molecule : str or rdkit.Chem.Mol
        SMILES, or a molecule such as :func:`molecule_of_graph` makes.
    values : array-like
        A value for each atom, as from :func:`received_attention`.
    title : str, optional
        The title.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: new axes.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> plot_molecule("CCO", [0.1, -0.2, 0.5])
    """
    chem = _chem()
    if isinstance(molecule, str):
        text, molecule = molecule, chem.MolFromSmiles(molecule)
        if molecule is None:
            raise ValueError(f"{text!r} is no valid SMILES.")
    values = as_array(values).astype(float).ravel()
    if len(values) != molecule.GetNumAtoms():
        raise ValueError(
            f"The molecule has {molecule.GetNumAtoms()} atoms, but there are "
            f"{len(values)} values."
        )
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.image import imread

    largest = float(np.abs(values).max()) or 1.0
    scale = ScalarMappable(
        Normalize(-largest, largest),
        LinearSegmentedColormap.from_list(
            "signed", [NEGATIVE, "#FFFFFF", POSITIVE]
        ),
    )
    colours = {
        # Lightened, so that the letters on them stay legible.
        number: tuple(0.25 + 0.75 * part for part in scale.to_rgba(value)[:3])
        for number, value in enumerate(values)
    }
    image = imread(io.BytesIO(_draw(molecule, colours)), format="png")
    ax = new_axes(ax, 4.8, 3.6)
    ax.imshow(image, interpolation="lanczos")
    ax.set_axis_off()
    ax.set_title(title, fontsize=10)
    bar = ax.figure.colorbar(scale, ax=ax, shrink=0.8)
    bar.set_label("Σ of weights received (mean over heads)", fontsize=8)
    bar.outline.set_visible(False)
    return ax


def _draw(molecule: Any, colours: dict[int, tuple[float, ...]]) -> bytes:
    from rdkit.Chem import rdDepictor
    from rdkit.Chem.Draw import rdMolDraw2D

    chem = _chem()
    molecule = chem.Mol(molecule)
    rdDepictor.Compute2DCoords(molecule)
    drawer = rdMolDraw2D.MolDraw2DCairo(1000, 760)
    options = drawer.drawOptions()
    options.useBWAtomPalette()
    options.prepareMolsBeforeDrawing = False
    options.highlightRadius = 0.42
    options.bondLineWidth = 3
    options.padding = 0.06
    options.fillHighlights = True
    drawer.DrawMolecule(
        molecule,
        highlightAtoms=[*colours],
        highlightAtomColors=colours,
        highlightBonds=[],
    )
    drawer.FinishDrawing()
    return drawer.GetDrawingText()


def _chem() -> Any:
    try:
        from rdkit import Chem
    except ImportError as error:
        raise SignGTError(
            "molecules are drawn by RDKit: pip install rdkit-pypi"
        ) from error
    return Chem
