"""The blocks of the book that need a GPU."""

import pytest
from pages import all_blocks, run, scope


@pytest.mark.parametrize("block", all_blocks("python,gpu"), ids=lambda block: block.place)
def test_block(block):
    run(block, scope())
