"""The molecules that RDKit carries, classified by polar surface area."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DataError
from ..flat import FlatGraphs

__all__ = ["ATOM_FEATURES", "BOND_FEATURES", "build_nci5k"]

_ELEMENTS = ("C", "N", "O", "S", "P", "F", "Cl", "Br", "I", "Si", "B", "Na")

# Name of each feature column; "other" is any element not named.
ATOM_FEATURES = (
    *(f"element {e}" for e in _ELEMENTS),
    "element other",
    *(f"degree {d}" for d in range(5)),
    *(f"hydrogens {h}" for h in range(4)),
    "charge negative",
    "charge positive",
    "aromatic",
    "in ring",
)
BOND_FEATURES = ("single", "double", "triple", "aromatic", "in ring")


def build_nci5k() -> FlatGraphs:
    """Read ``Data/NCI/first_5K.smi`` and the areas in the file beside it.

    Returns
    -------
    FlatGraphs
        One graph a molecule with atom and bond features, three classes by
        terciles of the topological polar surface area;
        ``info["unreadable"]`` counts the molecules that RDKit rejects.

    Examples
    --------
    >>> build_nci5k().num_classes
    3
    """
    smiles, areas = _read_files()
    from rdkit import Chem, RDLogger

    graphs, kept = [], []
    # Rejected molecules are counted; RDKit would also log each of them.
    RDLogger.DisableLog("rdApp.*")
    try:
        for position, text in enumerate(smiles):
            molecule = Chem.MolFromSmiles(text)
            if molecule is not None and molecule.GetNumAtoms() > 0:
                graphs.append(_molecule(molecule))
                kept.append(position)
    finally:
        RDLogger.EnableLog("rdApp.*")
    area = areas[kept]
    low, high = np.quantile(area, [1 / 3, 2 / 3])
    # Areas on a boundary belong to the class below.
    label = np.searchsorted([low, high], area, side="left")
    atoms, src, dst, bonds = zip(*graphs)
    return FlatGraphs(
        task="graph",
        label_kind="multiclass",
        feat_kind="dense",
        num_classes=3,
        in_size=len(ATOM_FEATURES),
        node_counts=np.array([len(a) for a in atoms]),
        edge_counts=np.array([len(s) for s in src]),
        src=np.concatenate(src).astype(np.int32),
        dst=np.concatenate(dst).astype(np.int32),
        feat=np.concatenate(atoms).astype(np.float32),
        label=label.astype(np.int64),
        edge_feat=np.concatenate(bonds).astype(np.float32),
        info={
            "unreadable": len(smiles) - len(kept),
            "terciles": [float(low), float(high)],
        },
    )


def _read_files() -> tuple[list[str], np.ndarray]:
    try:
        from rdkit import RDConfig
    except ImportError as error:
        raise DataError(
            "nci5k is made from the molecules in rdkit-pypi, which is not "
            "installed: pip install rdkit-pypi"
        ) from error
    folder = Path(RDConfig.RDDataDir) / "NCI"
    paths = folder / "first_5K.smi", folder / "first_5k.tpsa.csv"
    for path in paths:
        if not path.is_file():
            raise DataError(f"nci5k: RDKit's file {path} is missing")
    smiles = [
        line.split()[0] for line in paths[0].read_text().splitlines() if line
    ]
    rows = [
        line.rsplit(",", 1)
        for line in paths[1].read_text().splitlines()
        if line and not line.startswith("#")
    ]
    if [row[0] for row in rows] != smiles:
        raise DataError(
            f"nci5k: {paths[1]} does not list the molecules of {paths[0]}"
        )
    return smiles, np.array([float(row[1]) for row in rows])


def _molecule(molecule: Any) -> tuple[np.ndarray, ...]:
    atoms = np.zeros((molecule.GetNumAtoms(), len(ATOM_FEATURES)))
    base = len(_ELEMENTS) + 1
    for row, atom in zip(atoms, molecule.GetAtoms()):
        symbol = atom.GetSymbol()
        known = symbol in _ELEMENTS
        row[_ELEMENTS.index(symbol) if known else base - 1] = 1
        row[base + min(atom.GetDegree(), 4)] = 1
        row[base + 5 + min(atom.GetTotalNumHs(), 3)] = 1
        row[base + 9] = atom.GetFormalCharge() < 0
        row[base + 10] = atom.GetFormalCharge() > 0
        row[base + 11] = atom.GetIsAromatic()
        row[base + 12] = atom.IsInRing()
    count = molecule.GetNumBonds()
    ends = np.zeros((count, 2), dtype=np.int64)
    bonds = np.zeros((count, len(BOND_FEATURES)))
    for position, bond in enumerate(molecule.GetBonds()):
        ends[position] = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        kind = str(bond.GetBondType()).lower()
        if kind in BOND_FEATURES:
            bonds[position, BOND_FEATURES.index(kind)] = 1
        bonds[position, -1] = bond.IsInRing()
    return (
        atoms,
        np.concatenate([ends[:, 0], ends[:, 1]]),
        np.concatenate([ends[:, 1], ends[:, 0]]),
        np.concatenate([bonds, bonds]),
    )
