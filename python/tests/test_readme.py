"""The Python example of the README runs as it is written."""

import pathlib
import re

import pytest

README = pathlib.Path(__file__).parents[2] / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_example(code):
    exec(compile(code, str(README), "exec"), {})


def test_there_is_one_in_each_language():
    assert len(blocks("python")) >= 1
    assert len(blocks("rust")) >= 1
