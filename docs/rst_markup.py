"""Docstrings are written for Sphinx's reader; the site reads Markdown."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import griffe

_PATTERNS = [
    (re.compile(r":math:`([^`]*)`"), r"$\1$"),
    # :func:`~a.b.c` is shown as c, :class:`C` as C.
    (
        re.compile(r":(?:class|func|meth|mod|data|attr):`~[\w.]*?(\w+)`"),
        r"`\1`",
    ),
    (re.compile(r":(?:class|func|meth|mod|data|attr):`([^`]*)`"), r"`\1`"),
    (re.compile(r"`([^`<]+?)\s+<(https?://[^>]+)>`__?"), r"[\1](\2)"),
    (re.compile(r"``([^`]+)``"), r"`\1`"),
]
_MATH = re.compile(
    r"^([ \t]*)\.\. math::[ \t]*\n((?:\1[ \t]+.*(?:\n|\Z)|[ \t]*\n)+)", re.M
)


class RstMarkup(griffe.Extension):
    """Rewrite roles, links and formulas before they are parsed."""

    def on_instance(self, *, obj: Any, **kwargs: Any) -> None:
        """Change the text of one docstring."""
        if getattr(obj, "is_alias", False) or obj.docstring is None:
            return
        text = _MATH.sub(_formula, obj.docstring.value)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        obj.docstring.value = text


def _formula(found: re.Match) -> str:
    inside = textwrap.dedent(found[2]).strip()
    if "&" in inside:
        inside = rf"\begin{{aligned}} {inside} \end{{aligned}}"
    inside = " ".join(inside.split())
    return f"\n{found[1]}$${inside}$$\n\n"
