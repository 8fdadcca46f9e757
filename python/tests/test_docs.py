"""The examples in the documents run, block by block, with the results they show."""

import doctest
import pathlib

import numpy
import pytest
import strideview

DOCS = pathlib.Path(__file__).parents[2] / "docs"


# With the modules that their examples import.
RUN = {"layouts.md": [], "numpy.md": [], "engines.md": ["mpi4py", "distributed"]}


@pytest.mark.parametrize("name", RUN)
def test_examples(name):
    if "mpi4py" in RUN[name]:
        import with_mpi  # noqa: F401, skips without MPI
    for module in RUN[name]:
        pytest.importorskip(module)
    scope = {"numpy": numpy, "strideview": strideview, "sv": strideview}
    scope |= {public: getattr(strideview, public) for public in strideview.__all__}
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(
        str(DOCS / name), module_relative=False, globs=scope, optionflags=flags, encoding="utf-8"
    )
    assert tried > 10
    assert failed == 0
