"""Commands that are dglgo's own, with SignGT in them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str]) -> None:
    """Run one of dglgo's commands, whether the plug-in hook works or not."""
    from ..plugin import application

    application()([*argv], prog_name="python -m dgl_signgt")
