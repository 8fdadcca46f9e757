"""Pictures: a text, an SVG document, and what notebooks show. What is in them is tested in Rust."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import strideview
from hypothesis import given
from strategies import layouts
from strideview import StridedLayout

PADDED = StridedLayout((3, 4), (-5, 1), 8, slice_offset=10)


def texts(svg):
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_a_diagram_names_every_cell():
    rows = PADDED.diagram().split("\n\n")[1].splitlines()
    assert [row.split() for row in rows] == [
        ["0", "|", "20", "21", "22", "23", "·"],
        ["5", "|", "10", "11", "12", "13", "·"],
        ["10", "|", "00", "01", "02", "03"],
    ]


def test_a_picture_has_a_title():
    assert "rows & <columns>" in texts(PADDED.to_svg("rows & <columns>"))
    assert PADDED.to_svg(title="") == PADDED.to_svg() == PADDED._repr_html_()
    with pytest.raises(TypeError):
        PADDED.to_svg(3)
    with pytest.raises(TypeError):
        PADDED.diagram("title")


@given(layouts())
def test_every_layout_is_drawn(layout):
    assert str(layout) in texts(layout.to_svg())
    assert layout.diagram().startswith(f"{layout}\n{layout.volume} element")


def test_a_copy_shows_both_sides():
    a = np.zeros((2, 3), "f4")
    plan = strideview.explain_copy(np.zeros((3, 2), "f4"), a.T)
    page = ElementTree.fromstring(plan._repr_html_())
    pictures = [ElementTree.tostring(picture, "unicode") for picture in page[0]]
    assert [texts(picture)[:2] for picture in pictures] == [
        ["source", "(3, 2):(1, 3) x4"],
        ["destination", "(3, 2):(2, 1) x4"],
    ]
    assert page[1].text == str(plan)
