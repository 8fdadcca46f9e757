"""The examples in the documents run, block by block, with the results they show."""

import doctest
import pathlib

import numpy
import pytest
import strideview

DOCS = pathlib.Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["layouts.md", "numpy.md", "cuda-core.md"])
def test_examples(name):
    scope = {"numpy": numpy, "strideview": strideview, "sv": strideview}
    scope |= {public: getattr(strideview, public) for public in strideview.__all__}
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(
        str(DOCS / name), module_relative=False, globs=scope, optionflags=flags, encoding="utf-8"
    )
    assert tried > 2
    assert failed == 0
