"""Runs the short examples and compares what they print."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

PRINTED = {
    "layouts": """\
picture      (480, 640, 3):(2048, 3, 1) x1
bytes in use 921600 of 982912
window       (100, 100, 3):(2048, 3, 1) x1 @205700
upside down  (100, 100, 3):(-2048, 3, 1) x1 @408452
planes       (3, 100, 100):(1, 2048, 3) x1 @205700
3x3 patches  (98, 98, 3, 3, 3)
runs         100 the first of 300 bytes at 205700
as pixels    (480, 1920):(2048, 1) x1
as a list    layout.reshape_needs_copy
dense        (100, 100, 3):(300, 3, 1) x1 needs 30000 bytes
""",
    "views": """\
view     (2, 6, 8):(96, 8, -1) x4 float32
shared   True
zeroed   8 elements of frame 0
shifted  [0.0, 0.0, 48.0, 96.0]
dense    (4, 2, 8):(16, 8, 1) x4 256 bytes
reversed weivedirts
""",
}


@pytest.mark.parametrize(("name", "printed"), PRINTED.items(), ids=PRINTED)
def test_examples(name, printed, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out == printed
