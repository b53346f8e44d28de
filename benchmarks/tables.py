"""Results as Markdown, with ratios in place of bare seconds."""

from __future__ import annotations

__all__ = [
    "attention_table",
    "crossing_table",
    "epoch_table",
    "kernel_table",
    "loading_table",
    "pairs_table",
    "precision_table",
    "route_table",
]


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def ratio(value: float, base: float) -> str:
    return f"{value / base:.2f} ×"


def precision_table(rows: list[dict]) -> str:
    """Times of bfloat16 over those of float32, forward + backward."""
    head = [
        "case",
        "signed, float32",
        "signed, bfloat16 / float32",
        "SDPA, bfloat16 / float32",
        "signed / SDPA, both bfloat16",
    ]
    body = [
        [
            row["case"],
            f"{1000 * row['signed_float32']:.1f} ms",
            ratio(row["signed_bfloat16"], row["signed_float32"]),
            ratio(row["sdpa_bfloat16"], row["sdpa_float32"]),
            ratio(row["signed_bfloat16"], row["sdpa_bfloat16"]),
        ]
        for row in rows
    ]
    return table(head, body)


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


def crossing_table(rows: list[dict]) -> str:
    """Times of the tiled backend over those of the dense one."""
    head = ["graphs × heads × nodes × head size", "dense", "tiled / dense"]
    body = [
        [
            row["case"],
            f"{1000 * row['dense']:.1f} ms",
            ratio(row["tiled"], row["dense"]),
        ]
        for row in rows
    ]
    return table(head, body)


def loading_table(rows: list[dict]) -> str:
    """Seconds to load a data set."""
    keys = {
        "first": "first, from the archive",
        "later": "later, from the cache",
        "weights": "first Â on top",
        "later_weights": "later, with Â",
    }
    head = ["data set", *keys.values()]
    body = [[row["case"], *(f"{row[k]:.2f} s" for k in keys)] for row in rows]
    return table(head, body)


def pairs_table(rows: list[dict]) -> str:
    """Shares of real pairs."""
    keys = {
        "shuffled": "shuffled batches, one padded block",
        "pooled": "batches of like size, one padded block",
        "grouped": "shuffled batches, grouped by size in the attention",
    }
    head = ["data set", *keys.values()]
    body = [
        [row["case"], *(f"{100 * row[k]:.0f} %" for k in keys)] for row in rows
    ]
    return table(head, body)
