"""Runs the examples in the docstrings of the package."""

import doctest
import inspect

import numpy
import pytest
import strideview
from strideview import _strideview, exceptions

NAMES = {"numpy": numpy, "strideview": strideview, **{name: getattr(strideview, name) for name in strideview.__all__}}


def documented():
    """Name and docstring of the modules, the functions and classes, and all that the classes have."""
    yield "strideview", strideview.__doc__
    yield "strideview.exceptions", exceptions.__doc__
    for name, obj in vars(_strideview).items():
        if name.startswith("__"):
            continue
        yield name, obj.__doc__
        if inspect.isclass(obj):
            for member in vars(obj):
                yield f"{name}.{member}", getattr(obj, member).__doc__


DOCUMENTED = {name: doc for name, doc in documented() if doc}
EXAMPLES = {name: doc for name, doc in DOCUMENTED.items() if ">>>" in doc}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    example = doctest.DocTestParser().get_doctest(EXAMPLES[name], dict(NAMES), name, None, 0)
    report = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert result.failed == 0, "".join(report)
    assert result.attempted


def test_every_method_of_a_layout_has_an_example():
    methods = [
        name
        for name in dir(strideview.StridedLayout)
        if callable(getattr(strideview.StridedLayout, name)) and name[0] != "_"
    ]
    assert len(methods) > 25
    assert [name for name in methods if f"StridedLayout.{name}" not in EXAMPLES] == []


def test_everything_public_is_documented():
    missing = []
    for name in strideview.__all__:
        obj = getattr(strideview, name)
        if not obj.__doc__:
            missing.append(name)
        if inspect.isclass(obj) and obj.__module__ != "strideview.exceptions":
            missing += [
                f"{name}.{member}" for member in vars(obj) if member[0] != "_" and not getattr(obj, member).__doc__
            ]
    assert missing == []
