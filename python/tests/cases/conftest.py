"""Each case of data/cases.jsonl is the test of that name: zs-01 is test_zs_01."""

import json
from pathlib import Path

import pytest

RECORD = Path(__file__).parent.parent / "data" / "cases.jsonl"
CASES = {case["id"]: case for case in map(json.loads, RECORD.read_text(encoding="utf-8").splitlines())}


@pytest.fixture
def case(request):
    """The record of the running test."""
    return CASES[request.node.originalname.removeprefix("test_").replace("_", "-")]


@pytest.fixture
def every_case():
    return CASES
