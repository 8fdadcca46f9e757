"""Every block of code in the book and the README runs, and shows what it says.

``python`` is run here, a page from top to bottom in one scope: sessions with their results, and plain programs.
``console`` is run here, in a folder of its own. ``python,gpu`` needs a GPU: ``gpu/tests`` runs it on one, ``standin`` on the
stand-in, each block by itself. ``rust`` is run by the crate strideview-book, or by strideview for the README. ``text`` is
not code.
"""

import doctest
import os
import re
import stat
import subprocess
import sys

import numpy
import pytest
from pages import FLAGS, PAGES, ROOT, Block, blocks, run, scope, with_blocks

LANGUAGES = {"python", "python,gpu", "console", "rust", "text", "toml"}


# What the examples of a page import that may be missing.
NEEDS = {"engines.md": ["mpi4py", "distributed"]}


def ids(page):
    return page.name


@pytest.mark.parametrize("page", with_blocks("python"), ids=ids)
def test_python(page):
    for module in NEEDS.get(page.name, []):
        if module == "mpi4py":
            import with_mpi  # noqa: F401, skips without MPI
        pytest.importorskip(module)
    names = scope()
    for block in blocks(page):
        if block.info == "python":
            run(block, names)


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_block_has_a_language(page):
    assert [block.place for block in blocks(page) if block.info not in LANGUAGES] == []


# What is not run, by the first word of the command, and why.
NOT_RUN = {
    "cargo": "builds the project, or installs from a registry",
    "pip": "installs from a registry",
}


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    parts = re.split(r"^\$ ", block.code, flags=re.MULTILINE)
    assert parts[0] == "", f"{block.place}: a command is wanted first"
    return [(command, printed) for command, _, printed in (part.partition("\n") for part in parts[1:])]


@pytest.fixture
def shell(tmp_path):
    """Runs a command where ``strideview`` and ``python`` are those under test; ``IN.npy`` is an image."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in {"strideview": "-m strideview", "python": ""}.items():
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    folder = tmp_path / "work"
    folder.mkdir()
    numpy.save(folder / "IN.npy", numpy.zeros((480, 640, 3), "u1"))
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}

    def run(command):
        return subprocess.run(
            ["sh", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    return run


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("page", with_blocks("console"), ids=ids)
def test_console(page, shell):
    checker = doctest.OutputChecker()
    for block in blocks(page):
        if block.info != "console":
            continue
        for command, wanted in commands(block):
            if command.split()[0] in NOT_RUN:
                continue
            done = shell(command)
            said = f"{block.place}: {command}\nwanted:\n{wanted}got:\n{done.stdout}"
            # A refusal is shown by what it prints.
            assert done.returncode == 0 or wanted.startswith("strideview: "), said
            assert wanted == "" or checker.check_output(wanted, done.stdout, FLAGS), said


def test_the_commands_of_xtask_exist():
    source = ROOT / "xtask" / "src" / "main.rs"
    if not source.exists():
        pytest.skip("the bundle for GPU machines is without xtask")
    names = set(re.findall(r'name: "([\w-]+)"', source.read_text()))
    texts = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"]
    used = {name for path in texts for name in re.findall(r"cargo xtask ([a-z][\w-]*)", path.read_text(encoding="utf-8"))}
    assert "book" in used
    assert used - names == set()
