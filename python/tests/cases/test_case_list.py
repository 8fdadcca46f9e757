"""Every recorded case has its test, and every test of a case its record.

Left out of data/cases.jsonl:

| cases | why |
|---|---|
| al-01, cy-12, cy-13, cy-15, dv-03, dv-04, mk-01, st-03, st-04 | they need a GPU |
| pf-01, pf-03, pf-04 | they are about speed, which the benchmarks measure |

A case about the CUDA Array Interface is tested as far as no address has to be known to a driver.
"""

import re
from pathlib import Path

TEST = re.compile(r"^def test_([a-z][a-z0-9]_[0-9]{2})\(", re.MULTILINE)


def test_cases_and_tests_are_the_same(every_case):
    sources = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("test_*.py"))]
    tests = [name.replace("_", "-") for source in sources for name in TEST.findall(source)]
    assert sorted(tests) == sorted(every_case)
