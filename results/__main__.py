"""Write the page, its figure and the recipes' heads from the kept runs."""

from __future__ import annotations

from results.figure import draw_k_sweep
from results.heads import write_heads
from results.page import PAGE, make_page

if __name__ == "__main__":
    write_heads()
    draw_k_sweep()
    PAGE.write_text(make_page(), encoding="utf-8")
    print(f"wrote {PAGE}")
