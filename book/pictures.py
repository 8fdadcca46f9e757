"""Draws the pictures of the book with the library itself: python book/pictures.py. A test holds them to what is drawn."""

import pathlib

from strideview import StridedLayout

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "docs" / "pictures"
ROWS = StridedLayout((3, 4), None, 8)

LAYOUTS = {
    "rows": ("three rows of four, C order", ROWS),
    "columns": ("the same cells, axes exchanged", ROWS.reversed_axes()),
    "every-other": ("every other column: [:, ::2]", ROWS[:, ::2]),
    "backwards": ("rows from the last to the first: [::-1]", ROWS[::-1]),
    "padded": ("rows of four, padded to six", StridedLayout((3, 4), (6, 1), 8)),
    "broadcast": ("one row, three times", StridedLayout((4,), None, 8).broadcast_to((3, 4))),
    "windows": ("windows of three on six", StridedLayout((6,), None, 8).windows(0, 3)),
    "planes": ("pixels of three bytes, seen as planes", StridedLayout((2, 4, 3), None, 1).permuted((2, 0, 1))),
}


def drawn(name: str) -> str:
    title, layout = LAYOUTS[name]
    return layout.to_svg(title)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in LAYOUTS:
        (FOLDER / f"{name}.svg").write_text(drawn(name), encoding="utf-8")
    print(f"{len(LAYOUTS)} pictures in {FOLDER}")


if __name__ == "__main__":
    main()
