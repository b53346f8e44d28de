"""Small tiles for all tests of operations."""

from __future__ import annotations

import pytest

from dgl_signgt.ops import _tiles


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Tiles of 16 rows, so that small tests cross their borders."""
    monkeypatch.setattr(_tiles, "_TILE_BYTES", 1)
