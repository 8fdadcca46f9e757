"""The blocks of the book that need a GPU, run on the stand-in."""

import pytest
from pages import all_blocks, run, scope


@pytest.mark.parametrize("block", all_blocks("python,gpu"), ids=lambda block: block.place)
def test_block(driver, block):
    run(block, scope())
