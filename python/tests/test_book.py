"""The book is current: its pictures, its tables of figures, its table of classes; and its checker of links finds what is broken."""

import builtins
import re
import sys

import pytest
import strideview
from pages import DOCS, ROOT

sys.path.append(str(ROOT / "book"))
import links
import pictures
import tables


@pytest.mark.parametrize("name", pictures.LAYOUTS)
def test_pictures_are_what_the_library_draws(name):
    drawn = (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn == pictures.drawn(name), "run python book/pictures.py, and look at them"


def test_every_picture_is_shown_and_every_shown_one_is_there():
    shown = {name for page in DOCS.glob("*.md") for name in re.findall(r"\(pictures/([\w-]+)\.svg\)", page.read_text(encoding="utf-8"))}
    assert shown == {path.stem for path in pictures.FOLDER.iterdir()} == set(pictures.LAYOUTS)


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.name)
def test_tables_are_those_of_the_records(page):
    text = page.read_text(encoding="utf-8")
    assert text.count("<!-- table: ") == len(tables.PLACE.findall(text)) > 3
    assert text == tables.current(page), "run python book/tables.py"


def test_every_table_is_shown():
    shown = {name for page in tables.PAGES for _, name, _ in tables.PLACE.findall(page.read_text(encoding="utf-8"))}
    assert shown == set(tables.TABLES)


def test_classes_of_errors():
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (`.*`) \| ", text, re.MULTILINE)
    classes = {name: [base.strip("` ") for base in bases.split(",")] for name, bases in rows}
    assert set(classes) == {name for name in strideview.__all__ if name.endswith("Error")}
    for name, bases in classes.items():
        for base in bases:
            assert issubclass(getattr(strideview, name), getattr(strideview, base, None) or getattr(builtins, base))
    assert {name for name in re.findall(r" \| `(\w+Error)` \|$", text, re.MULTILINE)} <= set(classes)


def test_the_names_of_the_last_column_exist():
    text = (DOCS / "numpy.md").read_text(encoding="utf-8")
    names = {name for holder in (strideview, strideview.StridedLayout, strideview.StridedMemoryView) for name in dir(holder)}
    rows = [line.rstrip(" |").rpartition("| ")[2] for line in text.splitlines() if line.startswith("| ")]
    # `of(x)` and `holder.of` are there where `of` is; what is said of Rust is another language's.
    said = [name for row in rows for name in re.findall(r"(?<!Rust )`(?:\w+\.)*(\w+)[^`]*`", row)]
    assert len(said) > 60
    assert [name for name in said if name not in names] == []


def test_every_page_is_in_the_book():
    summary = (DOCS / "SUMMARY.md").read_text(encoding="utf-8")
    listed = re.findall(r"\(([\w-]+\.md)\)", summary)
    assert sorted(listed) == sorted(path.name for path in DOCS.glob("*.md") if path.name != "SUMMARY.md")


def test_files_that_texts_name_are_there():
    if not (ROOT / "crates").exists():
        pytest.skip("the bundle for GPU machines has a part of the tree")
    texts = [*DOCS.glob("*.md"), *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
    for text in texts:
        for name in re.findall(r"(?<![\w/.-])(?:docs|bench|book|python|gpu)/[\w/.-]*\.(?:md|csv|txt|py|json|svg)\b", text.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), (text.name, name)


def test_broken_links_are_found(tmp_path):
    (tmp_path / "one.html").write_text('<a href="two.html#here">a</a> <a href="https://elsewhere/x">b</a> <img src="none.svg">')
    (tmp_path / "two.html").write_text('<h1 id="here"></h1><a href="#there">c</a> <a href="../out.html">d</a> <a href="rust/">e</a>')
    (tmp_path / "rust").mkdir()
    (tmp_path / "rust" / "index.html").write_text('<a href="not-looked-at.html">f</a>')
    found, checked = links.faults(tmp_path)
    assert checked == 6
    assert found == [
        "one.html: none.svg: no such file",
        "two.html: #there: no such place in that page",
        "two.html: ../out.html: leads out of the book",
    ]
