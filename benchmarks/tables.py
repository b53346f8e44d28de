"""Results as Markdown, with ratios in place of bare seconds."""

from __future__ import annotations

__all__ = ["attention_table", "epoch_table", "kernel_table", "route_table"]


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def ratio(value: float, base: float) -> str:
    return f"{value / base:.2f} ×"


def attention_table(rows: list[dict]) -> str:
    """Times of signed attention over those of its competitors."""
    head = [
        "case",
        "SDPA, forward + backward",
        "signed / SDPA, forward",
        "signed / SDPA, forward + backward",
        "eager / signed, forward + backward",
        "added memory: SDPA, signed, eager (MB)",
    ]
    body = []
    for row in rows:
        sdpa, signed, eager = (
            row["sdpa"],
            row["signed"],
            row.get("eager"),
        )
        both = "forward_backward_s"
        memory = [
            f"{method['added_mb']:.0f}" if method else "–"
            for method in (sdpa, signed, eager)
        ]
        body.append(
            [
                row["case"],
                f"{1000 * sdpa[both]:.1f} ms",
                ratio(signed["forward_s"], sdpa["forward_s"]),
                ratio(signed[both], sdpa[both]),
                ratio(eager[both], signed[both]) if eager else "–",
                ", ".join(memory),
            ]
        )
    return table(head, body)


def epoch_table(rows: list[dict]) -> str:
    """Shares of an epoch's time."""
    parts = ["collating", "forward", "backward", "optimiser"]
    head = ["case", "epoch", *parts, "the rest"]
    body = []
    for row in rows:
        shares = [row[part] / row["epoch"] for part in parts]
        body.append(
            [
                row["case"],
                f"{row['epoch']:.2f} s",
                *(f"{100 * share:.1f} %" for share in shares),
                f"{100 * (1 - sum(shares)):.1f} %",
            ]
        )
    return table(head, body)


def kernel_table(rows: list[dict]) -> str:
    """Times of DGL's kernels over that of torch's CSR product."""
    head = [
        "nodes × edges × features",
        "CSR, forward + backward",
        "u_mul_e_sum / CSR",
        "copy_u_sum between scalings / CSR",
    ]
    body = [
        [
            row["case"],
            f"{1000 * row['csr']:.2f} ms",
            ratio(row["u_mul_e_sum"], row["csr"]),
            ratio(row["copy_u_sum"], row["csr"]),
        ]
        for row in rows
    ]
    return table(head, body)


def route_table(rows: list[dict]) -> str:
    """Entries and times of the two routes to the k-th power."""
    head = [
        "case",
        "entries of the power",
        "k × entries of the base",
        "products / weights, time",
        "auto takes",
    ]
    body = [
        [
            row["case"],
            str(row["entries_weights"]),
            str(row["multiplications_products"]),
            ratio(row["products"], row["weights"]),
            row["auto"],
        ]
        for row in rows
    ]
    return table(head, body)
