"""Makes the reference of the Python package, from its docstrings and the stub: python book/reference.py FOLDER."""

import ast
import pathlib
import sys
import tempfile
import typing
from importlib.metadata import version

import pdoc
import strideview
from strideview import _strideview

TEMPLATES = pathlib.Path(__file__).with_name("templates")
STUB = pathlib.Path(_strideview.__file__).with_name("_strideview.pyi")


def write(folder: pathlib.Path) -> None:
    footer = f"strideview {version('strideview')}"
    pdoc.render.configure(docformat="numpy", show_source=False, footer_text=footer, template_directory=TEMPLATES)
    with tempfile.TemporaryDirectory() as place:
        # The stub describes the extension module, whose classes are those of the package: pdoc looks for the stub of a
        # package in a folder with this name.
        stubs = pathlib.Path(place) / "strideview-stubs"
        stubs.mkdir()
        (stubs / "__init__.pyi").write_text(executable(STUB.read_text(encoding="utf-8")), encoding="utf-8")
        sys.path.append(place)
        pdoc.pdoc(strideview.__name__, output_directory=folder)


def executable(stub: str) -> str:
    """The stub as a program, which pdoc executes: what stands for several types is shown by its name alone."""
    tree = ast.parse(stub)
    for at, node in enumerate(tree.body):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            tree.body[at] = ast.parse(f"class {ast.unparse(node.target)}: ...").body[0]
    # To a reader, what has an index is an integer.
    return f"from __future__ import annotations\n{ast.unparse(tree)}\nSupportsIndex = int"


if __name__ == "__main__":
    # A decorator of stubs alone.
    vars(typing).setdefault("type_check_only", lambda definition: definition)
    write(pathlib.Path(sys.argv[1]))
