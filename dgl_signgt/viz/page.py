"""One HTML page that needs nothing but itself."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

__all__ = ["Picture", "Section", "definitions", "page", "table"]


@dataclass
class Picture:
    """A figure with all that a page needs to show it.

    Parameters
    ----------
    name : str
        Name of its file, without ending.
    png : bytes
        The picture.
    alt : str
        What is to be seen in it, for who cannot see it.
    caption : str
        How to read it.
    """

    name: str
    png: bytes
    alt: str
    caption: str

    def html(self) -> str:
        """The figure with the picture in it."""
        # The size lets a browser keep the place before it has the picture.
        data = base64.b64encode(self.png).decode()
        width, height = (
            int.from_bytes(self.png[start : start + 4], "big")
            for start in (16, 20)
        )
        return (
            f'<figure><img src="data:image/png;base64,{data}" '
            f'alt="{escape(self.alt)}" width="{width}" height="{height}">'
            f"<figcaption>{escape(self.caption)}</figcaption></figure>"
        )


@dataclass
class Section:
    """A headline and what stands under it.

    Parameters
    ----------
    title : str
        The headline.
    parts : sequence of str or Picture
        HTML, and pictures; pictures that follow each other share a row
        where the screen is wide enough.
    """

    title: str
    parts: Sequence[str | Picture]

    def html(self) -> str:
        """The section."""
        content = ""
        for pictures, parts in groupby(
            self.parts, lambda part: isinstance(part, Picture)
        ):
            if pictures:
                inside = "\n".join(part.html() for part in parts)
                content += f'<div class="pictures">{inside}</div>\n'
            else:
                content += "\n".join(parts)
        return f"<section><h2>{escape(self.title)}</h2>\n{content}</section>"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table; it scrolls by itself where the screen is narrow."""
    first = "".join(f'<th scope="col">{escape(str(c))}</th>' for c in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(c))}</td>" for c in row) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide" tabindex="0"><table><thead><tr>{first}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def definitions(values: Mapping[str, Any]) -> str:
    """A table of names and values."""
    body = "".join(
        f'<tr><th scope="row">{escape(str(name))}</th>'
        f"<td>{escape(str(value))}</td></tr>"
        for name, value in values.items()
    )
    return f'<div class="wide" tabindex="0"><table>{body}</table></div>'


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """Put the page together.

    Parameters
    ----------
    title : str
        The title.
    lead : str
        One sentence under it.
    sections : sequence of Section
        The content.

    Returns
    -------
    str
        HTML without any reference to another file.
    """
    body = "\n".join(section.html() for section in sections)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, '
        'initial-scale=1">\n'
        # Without it browsers ask the server for an icon.
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{escape(title)}</h1>\n"
        f'<p class="lead">{escape(lead)}</p>\n{body}\n</main>\n</body>\n'
        "</html>\n"
    )


_STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #1b1b1b;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 1rem 0 0.25rem;
  overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; padding-top: 0.5rem;
  border-top: 1px solid #d0d0d0; }
h3 { font-size: 1rem; margin: 1.25rem 0 0.25rem; }
p { overflow-wrap: anywhere; }
.lead { color: #444; margin-top: 0; }
.note { background: #f4f4f4; border-left: 4px solid #0072b2;
  padding: 0.5rem 0.75rem; }
.pictures { display: grid; gap: 1.25rem 1.5rem; margin: 1rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
figure { margin: 0; }
figure img { display: block; width: 100%; max-width: 34rem; height: auto; }
figcaption { color: #444; font-size: 0.9rem; margin-top: 0.25rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem;
  font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.9rem
  0.25rem 0; border-bottom: 1px solid #e4e4e4; }
th { font-weight: 600; }
pre { overflow-x: auto; background: #f4f4f4; padding: 0.75rem;
  font-size: 0.85rem; line-height: 1.4; }
@media print {
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .pictures { grid-template-columns: 1fr 1fr; }
  pre { white-space: pre-wrap; }
}
"""
