"""Replays the recorded layout programs.

Each line of data/layout.jsonl.gz is a constructor, the steps after it, and what is expected of the layout that each of
them gives. What carries no meaning is not recorded: strides of axes of extent 1, strides and offset of an empty layout.
Strides are recorded as integers, so implicit ones (None) are compared as the C order that they stand for.
"""

import gzip
import json
from pathlib import Path

import pytest
from strideview import StridedLayout

RECORD = Path(__file__).parent / "data" / "layout.jsonl.gz"
ERRORS = {"ValueError": ValueError, "TypeError": TypeError, "OverflowError": OverflowError, "IndexError": IndexError}
METHODS = {"required_size_in_bytes", "max_compatible_itemsize", "flattened_axis_mask"}
PARTS = 25


def recorded():
    with gzip.open(RECORD, "rt", encoding="ascii") as lines:
        return [json.loads(line) for line in lines]


PROGRAMS = recorded()


def construct(kind, arguments):
    if kind == "dense":
        return StridedLayout.dense(*arguments)
    return StridedLayout(*arguments, divide_strides=kind == "newb")


def argument(value):
    """A slice is written ["slice", start, stop, step]."""
    if not isinstance(value, list):
        return value
    if value and value[0] == "slice":
        return slice(*value[1:])
    return [argument(item) for item in value]


def apply(layout, method, arguments):
    arguments = [argument(value) for value in arguments]
    if method == "sliced":
        (index,) = arguments
        return layout.sliced(tuple(index) if isinstance(index, list) else index)
    return getattr(layout, method)(*arguments)


def observed(layout, name):
    """The value of a property, or the exception that it raised."""
    try:
        if name == "strides" and layout.strides is None:
            return StridedLayout.dense(layout.shape, layout.itemsize).strides
        return getattr(layout, name)() if name in METHODS else getattr(layout, name)
    except Exception as raised:
        return raised


def agrees(name, got, wanted):
    if isinstance(wanted, dict):
        return isinstance(got, ERRORS[wanted["error"]])
    if wanted is None:  # not recorded
        return not isinstance(got, Exception)
    if name == "strides" and isinstance(got, tuple) and len(got) == len(wanted):
        return all(w is None or g == w for g, w in zip(got, wanted, strict=True))
    if isinstance(wanted, list):
        return got == tuple(wanted)
    return type(got) is type(wanted) and got == wanted


def replay(number, program):
    """The places where the program differs from its record, as (program, step, property, wanted, got)."""
    layout = None
    actions = [("constructor", program["constructor"]), *((f"step {i}", s) for i, s in enumerate(program["steps"], 1))]
    for (place, (name, arguments)), wanted in zip(actions, program["expect"], strict=False):
        error = wanted.get("error")
        try:
            layout = construct(name, arguments) if layout is None else apply(layout, name, arguments)
        except Exception as raised:
            if error is None or not isinstance(raised, ERRORS[error]):
                yield number, place, name, error or "no error", repr(raised)
            return
        if error is not None:
            yield number, place, name, error, repr(layout)
            return
        for what, value in wanted.items():
            got = observed(layout, what)
            if not agrees(what, got, value):
                yield number, place, what, value, got


def test_the_record_is_complete():
    assert len(PROGRAMS) == 2500
    assert sum(len(program["expect"]) for program in PROGRAMS) == 6438
    for program in PROGRAMS:
        ended = "error" in program["expect"][-1]
        assert len(program["expect"]) == 1 + len(program["steps"]) or ended


@pytest.mark.parametrize("part", range(PARTS))
def test_recorded_programs(part):
    size = len(PROGRAMS) // PARTS
    programs = range(part * size, (part + 1) * size)
    differences = [d for number in programs for d in replay(number, PROGRAMS[number])]
    lines = [f"program {n}, {place}, {what}: wanted {w}, got {g!r}" for n, place, what, w, g in differences]
    assert not lines, "\n".join(lines)
