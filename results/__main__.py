"""Write ``docs/results.md`` and its figure from the runs that are kept."""

from __future__ import annotations

from results.figure import draw_k_sweep
from results.page import PAGE, make_page

if __name__ == "__main__":
    draw_k_sweep()
    PAGE.write_text(make_page(), encoding="utf-8")
    print(f"wrote {PAGE}")
