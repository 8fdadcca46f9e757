"""The pages of the book and the README, and the blocks of code in them."""

import dataclasses
import doctest
import pathlib
import re
import textwrap

import numpy
import strideview

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
# How what is printed is compared: blanks do not count, and `...` stands for anything.
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>\S*)\n(?P<code>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Block:
    """The code between two fences. The info is the word after the first: a language, and after commas what else is known."""

    page: pathlib.Path
    line: int
    info: str
    code: str

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: pathlib.Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in FENCE.finditer(text):
        line = text.count("\n", 0, fence.start("code")) + 1
        found.append(Block(page, line, fence["info"], textwrap.dedent(fence["code"])))
    # Anything else that a reader of Markdown takes for code would be a block that nothing runs.
    assert len(found) * 2 == len(re.findall(r"^ *```", text, re.MULTILINE)), page
    return found


def with_blocks(info: str) -> list[pathlib.Path]:
    """The pages that have a block with this info."""
    return [page for page in PAGES if any(block.info == info for block in blocks(page))]


def all_blocks(info: str) -> list[Block]:
    return [block for page in PAGES for block in blocks(page) if block.info == info]


def scope() -> dict[str, object]:
    """The names that a page may use without importing them."""
    names = {name: getattr(strideview, name) for name in strideview.__all__}
    return {"numpy": numpy, "strideview": strideview, "sv": strideview, **names}


def run(block: Block, names: dict[str, object]) -> None:
    """Runs a session and compares its results, or runs a program."""
    if ">>>" not in block.code:
        exec(compile("\n" * (block.line - 1) + block.code, str(block.page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.code, {}, block.place, str(block.page), block.line - 1)
    test.globs = names
    report = []
    result = doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
    assert result.failed == 0, "".join(report)
