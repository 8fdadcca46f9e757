"""Layouts without memory: what a tensor's shape and strides say, and what follows from them."""

from strideview import LayoutError, StridedLayout


def main() -> None:
    # A picture of 480 rows of 640 pixels of 3 bytes, each row padded to 2048 bytes.
    picture = StridedLayout((480, 640, 3), (2048, 3, 1), 1)
    print("picture     ", picture)
    print("bytes in use", picture.nbytes, "of", picture.required_size_in_bytes())

    # Views are arithmetic on the layout; no element moves.
    window = picture[100:200, 300:400]
    print("window      ", window)
    print("upside down ", window[::-1])
    print("planes      ", window.permuted((2, 0, 1)))
    print("3x3 patches ", window.windows(0, 3).windows(1, 3).shape)

    # What is contiguous is copied in one piece: here the runs are the rows.
    rows = list(window.runs())
    print("runs        ", len(rows), "the first of", rows[0][1], "bytes at", rows[0][0])

    # A reshape succeeds wherever the strides allow it, and says why where they do not.
    print("as pixels   ", picture.reshaped((480, 1920)))
    try:
        picture.reshaped((480 * 640, 3))
    except LayoutError as error:
        print("as a list   ", error.code)

    # What to allocate for a copy without the gaps.
    dense = window.to_dense()
    print("dense       ", dense, "needs", dense.required_size_in_bytes(), "bytes")


if __name__ == "__main__":
    main()
