"""Writes the tables of figures into the pages, from the records: python book/tables.py. A test holds the pages to them.

In a page a table stands between ``<!-- table: NAME -->`` and ``<!-- end of table -->``.
"""

import itertools
import pathlib
import re
from collections.abc import Callable, Iterable

import records

PAGES = [records.ROOT / "docs" / "performance.md", records.ROOT / "README.md"]
PLACE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)

LAYOUT = "*/*-layout.csv"
LAYOUT_RUST = "*/*-layout-rust.txt"
HOST = "*/*-copy-{}.csv"
FILES = "*/*-files.csv"
DEVICE = "*/*-device-copies.csv"
TRANSFERS = "*/*-transfers.csv"
VIEWS = "*/*-views.csv"

Table = tuple[list[str], Iterable[list[str]]]


def markdown(table: Table) -> str:
    header, body = table
    first, *rest = (f"| {' | '.join(cells)} |\n" for cells in [header, *body])
    return f"{first}{'|---' * len(header)}|\n{''.join(rest)}"


def whole(number: str) -> str:
    """Without digits after the point; a dash where there is none."""
    return f"{float(number):.0f}" if number else "–"


def known(text: str) -> str:
    return "–" if text in ("", "-") else text


def or_none(body: list[list[str]], header: list[str]) -> list[list[str]]:
    """The rows of a table of what is slower, which may be empty."""
    return body or [["none", *[""] * (len(header) - 1)]]


# Layout operations

SOME_OPERATIONS = [
    "construct", "construct, strides None", "dense C", "permuted", "sliced", "reshaped", "flattened", "broadcast_to",
    "repacked, smaller", "shape", "is_unique", "==",
]  # fmt: skip


def operations() -> dict[str, dict[str, str]]:
    return {row["operation"]: row for row in records.named(LAYOUT)}


def layout_table(chosen: Iterable[str]) -> Table:
    found = operations()
    header = ["operation", "strideview", "cuda.core", "NumPy", "of cuda.core"]
    body = [
        [
            name if name != "==" else "`==`",
            whole(found[name]["strideview ns"]),
            whole(found[name]["cuda.core ns"]),
            whole(found[name]["numpy ns"]),
            known(found[name]["of cuda.core"]),
        ]
        for name in chosen
    ]
    body.append(["geometric mean of all", "", "", "", found["geometric mean"]["of cuda.core"]])
    return header, body


def layout_some() -> Table:
    return layout_table(SOME_OPERATIONS)


def layout_all() -> Table:
    return layout_table(name for name, row in operations().items() if row.get("strideview ns"))


def layout_lost() -> Table:
    """What takes longer than with cuda.core."""
    header = ["operation, ns", "strideview", "cuda.core", "of cuda.core"]
    lost = [
        [name, whole(row["strideview ns"]), whole(row["cuda.core ns"]), row["of cuda.core"]]
        for name, row in operations().items()
        if row.get("strideview ns") and float(row["of cuda.core"] or 0) > 1
    ]
    return header, or_none(sorted(lost, key=lambda cells: -float(cells[-1])), header)


def layout_rust() -> Table:
    _, *body = records.columns(LAYOUT_RUST)
    return ["operation, in place, 4-D", "ns"], body


# Copies on the host

SOME_COPIES = {
    "t2d_512x512_float32": "transpose f32, 512 x 512",
    "t2d_2048x2048_uint8": "transpose u8, 2048 x 2048",
    "t2d_6000x4000_uint8": "transpose u8, 6000 x 4000",
    "t2d_6000x4000_float32": "transpose f32, 6000 x 4000",
    "t2d_2000x1500_c128": "transpose c128, 2000 x 1500",
    "nhwc2nchw_u8_rgb": "pixels of 3 u8 to planes",
    "nchw2nhwc_f32_rgb": "planes to pixels of 3 f32",
    "attn_bshd2bhds_f16": "BSHD to BHDS, f16",
    "p3_210_f32": "3-D (2, 1, 0), f32",
    "hptt_5d_43210": "5-D, all axes reversed, f32",
    "slice2_last_f32": "every other item, f32",
    "rev_last_f32": "last axis backwards, f32",
    "bcast_row_f32": "a row repeated, f32",
}
MEAN = "not small: mean of "


SMALL = "small copies, ns"


def host(threads: int) -> dict[str, dict[str, str]]:
    """The rows of a record of host copies, by case."""
    _, header, *body = records.rows(HOST.format(threads))
    # Another table follows in the same file.
    copies = itertools.takewhile(lambda row: row[0] != SMALL, body)
    return {row[0]: dict(zip(header, row, strict=False)) for row in copies}


def cases(threads: int) -> dict[str, dict[str, str]]:
    """Those that are copies, and not means or notes."""
    return {name: row for name, row in host(threads).items() if row.get("/best") and " of " not in name}


def mean(threads: int) -> tuple[str, dict[str, str]]:
    """The row of geometric means over the copies that are not small."""
    return next((name, row) for name, row in host(threads).items() if name.startswith(MEAN))


def best_single(threads: int) -> str:
    """The peer with the highest mean."""
    _, row = mean(threads)
    peers = list(row)[list(row).index("/best") + 1 :]
    values = {peer: float(row[peer]) for peer in peers if known(row[peer] or "") != "–"}
    name = max(values, key=lambda peer: values[peer])
    return f"{values[name]:.2f} {name}"


def copies_some() -> Table:
    one, two = cases(1), cases(2)
    header = ["copy", "strideview", "best peer", "NumPy", "torch", "strideview, 2 threads", "best peer, 2 threads"]
    body = [
        [
            label,
            one[case]["ours"],
            one[case]["best peer"],
            known(one[case]["numpy"]),
            known(one[case]["torch"]),
            two[case]["ours"],
            two[case]["best peer"],
        ]
        for case, label in SOME_COPIES.items()
    ]
    (name, first), (_, second) = mean(1), mean(2)
    title = f"geometric mean of {name.removeprefix(MEAN)} that are not tiny"
    means = [first["ours"], best_single(1), first["numpy"], first["torch"], second["ours"], best_single(2)]
    return header, [*body, [title, *means]]


def copies_means() -> Table:
    """Geometric means over the copies that are not small, and what came out worst."""
    header = ["threads", "copies", "strideview", "worst", "of the best peer of each", "worst", "best single library", "NumPy", "torch"]
    body = []
    for threads in (1, 2):
        name, row = mean(threads)
        worst = host(threads)[name.replace("mean", "worst")]
        number = name.removeprefix(MEAN)
        ours = [row["ours"], worst["ours"], row["/best"], worst["/best"]]
        body.append([str(threads), number, *ours, best_single(threads), row["numpy"], row["torch"]])
    return header, body


def copies_all(threads: int) -> Table:
    header = ["case", "memcpy, GB/s", "strideview", "best peer", "NumPy", "torch"]
    body = [
        [f"`{case}`", row["memcpy GB/s"], row["ours"], row["best peer"], known(row["numpy"]), known(row["torch"])]
        for case, row in cases(threads).items()
    ]
    return header, body


def copies_lost() -> Table:
    """Where another library was faster."""
    lost = [
        (float(row["/best"]), [f"`{case}`", str(threads), row["ours"], row["best peer"], row["/best"]])
        for threads in (1, 2)
        for case, row in cases(threads).items()
        if float(row["/best"]) < 1
    ]
    header = ["case", "threads", "strideview", "best peer", "of the peer"]
    return header, or_none([cells for _, cells in sorted(lost)], header)


def copies_small() -> Table:
    table = records.rows(HOST.format(1))
    start = next(at for at, row in enumerate(table) if row[0] == SMALL)
    header, *body = table[start:]
    header = ["small copy, ns", *header[1:]]
    return header, [[f"`{row[0]}`", *row[1:]] for row in body if len(row) == len(header)]


# Copies on a GPU

SOME_DEVICE_COPIES = {
    "2-D transpose f32 11584": "transpose f32, 11584 x 11584",
    "2-D transpose u8 23168": "transpose u8, 23168 x 23168",
    "2-D transpose u8 23169": "transpose u8, 23169 x 23169",
    "NHWC to NCHW u8": "NHWC to NCHW, u8, 3 channels",
    "BSHD to BHSD f16": "BSHD to BHSD, f16",
    "3-D (2,1,0) f32 512": "3-D (2, 1, 0), f32, 512 x 512 x 512",
    "5-D reversed axes f32": "5-D, all axes reversed, f32",
    "10-D f32": "10-D, f32",
    "reversed last axis f32": "last axis backwards, f32",
}


def device() -> dict[str, dict[str, dict[str, str]]]:
    """By case, then by engine."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in records.named(DEVICE):
        found.setdefault(row["case"], {})[row["engine"]] = row
    return found


def device_table(labels: dict[str, str]) -> Table:
    found = device()
    body = []
    for case, label in labels.items():
        speeds = [found[case].get(engine, {}).get("gb_per_s", "refused") for engine in ("strideview", "torch", "cupy")]
        body.append([label, *speeds, f"{float(found[case]['strideview']['fraction_of_memcpy']):.2f}"])
    return ["copy", "strideview", "torch", "CuPy", "of memcpy"], body


def device_some() -> Table:
    return device_table(SOME_DEVICE_COPIES)


def device_all() -> Table:
    return device_table({case: case for case, engines in device().items() if "memcpy" in engines})


def device_low() -> Table:
    """What stays below nine tenths of the driver's memcpy."""
    header, body = device_all()
    low = [cells for cells in body if float(cells[-1]) < 0.9]
    return header, or_none(sorted(low, key=lambda cells: float(cells[-1])), header)


# Between host and GPU

TRANSFER_WORDS = {"H2D": "to the GPU,", "D2H": "to the host,"}


def transfers() -> Table:
    body = []
    for row in records.named(TRANSFERS):
        first, rest = row["case"].split(" ", 1)
        figures = [row["strideview"], row["torch"], row["link"]]
        body.append(
            [f"{TRANSFER_WORDS[first]} {rest}", *(f"{float(figure):.1f}" for figure in figures), f"{float(row['of link']):.2f}"]
        )
    return ["256 MiB, GB/s", "strideview", "torch", "link", "of the link"], body


# Views and files


def views() -> Table:
    body = [
        [row["case"], whole(row["ours_ns"]), whole(row["cuda_core_ns"]), f"{float(row['ratio']):.2f}" if row["ratio"] else "–"]
        for row in records.named(VIEWS)
    ]
    return ["operation, ns", "strideview", "cuda.core", "of cuda.core"], body


def views_lost() -> Table:
    """What takes longer than with cuda.core."""
    header, body = views()
    lost = [cells for cells in body if cells[-1] != "–" and float(cells[-1]) > 1]
    return header, or_none(sorted(lost, key=lambda cells: -float(cells[-1])), header)


def files() -> Table:
    body = [
        [row["what"], row["seconds"], row["GB/s"], known(row["resident MiB"]), row["note"]]
        for row in records.named(FILES, skipped=1)
        if row["seconds"]
    ]
    return ["copy of a file", "seconds", "GB/s", "resident MiB", ""], body


# Each with the record that it is from.
TABLES: dict[str, tuple[Callable[[], Table], str]] = {
    "layout": (layout_all, LAYOUT),
    "layout-some": (layout_some, LAYOUT),
    "layout-lost": (layout_lost, LAYOUT),
    "layout-rust": (layout_rust, LAYOUT_RUST),
    "host-copies-1": (lambda: copies_all(1), HOST.format(1)),
    "host-copies-2": (lambda: copies_all(2), HOST.format(2)),
    "host-copies-some": (copies_some, HOST.format("[12]")),
    "host-copies-means": (copies_means, HOST.format("[12]")),
    "host-copies-lost": (copies_lost, HOST.format("[12]")),
    "host-copies-small": (copies_small, HOST.format(1)),
    "device-copies": (device_all, DEVICE),
    "device-copies-some": (device_some, DEVICE),
    "device-copies-low": (device_low, DEVICE),
    "transfers": (transfers, TRANSFERS),
    "views": (views, VIEWS),
    "views-lost": (views_lost, VIEWS),
    "files": (files, FILES),
}


def source(pattern: str) -> str:
    """A line that says which record it is."""
    path = records.newest(pattern).relative_to(records.ROOT).as_posix()
    if "[12]" in pattern:
        return f"\nFrom `{path.replace('copy-2', 'copy-1')}` and `-2.csv`.\n"
    return f"\nFrom `{path}`.\n"


def current(page: pathlib.Path) -> str:
    """The text of a page with its tables as the records have them."""

    def fill(place: re.Match[str]) -> str:
        table, pattern = TABLES[place[2]]
        return place[1] + markdown(table()) + source(pattern) + place[3]

    return PLACE.sub(fill, page.read_text(encoding="utf-8"))


def main() -> None:
    for page in PAGES:
        page.write_text(current(page), encoding="utf-8")
        print(page)


if __name__ == "__main__":
    main()
