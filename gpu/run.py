"""Runs everything in a bundle made by ``cargo xtask gpu-bundle``, and prints a table last.

Each step has a time limit of its own and its own processes; a failed one does not stop the others.
In the folder that OUT names (./out by default):

log.txt            what every step wrote
summary.json       the machine, and the steps with their counts and seconds
python-tests.json  every test of the Python package with its outcome
gpu-tests.json     every GPU test with its outcome
*.csv              records that tests and benchmarks write
"""

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parents[1]
SITE = HERE / "site"


@dataclasses.dataclass
class Step:
    """One program to run, and how its outcome is counted."""

    name: str
    command: list[str]
    limit: float
    # "rust" and "pytest" count tests, "program" is one success or failure.
    kind: str = "program"
    # The file in OUT that a pytest step adds its tests to.
    record: str = ""


@dataclasses.dataclass
class Result:
    step: str
    outcome: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0


# What compute-sanitizer looks for, and how many random copies it is given of it: each is slowed down.
SANITIZERS = {"memcheck": 3000, "racecheck": 1000, "initcheck": 3000}
# The suite of copies on the device, without those of many gigabytes.
SANITIZED = ["copies::copies_what", "copies::copies_at", "copies::overlapping", "copies::copies_are_captured"]


def sanitizers() -> list[Step]:
    """The kernels under compute-sanitizer, which comes with CUDA's compiler."""
    program = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    found = []
    for tool, cases in SANITIZERS.items():
        command = ["env", f"STRIDEVIEW_CASES={cases}", program, "--tool", tool, "--error-exitcode", "9"]
        command += [str(HERE / "rust" / "strideview-cuda-gpu"), "--test-threads=1", *SANITIZED]
        found.append(Step(f"sanitize {tool}", command, 100, "rust"))
    return found


def unpack() -> None:
    """The programs of the bundle, which came packed."""
    if not (HERE / "rust").exists():
        with tarfile.open(HERE / "rust.tar.xz") as packed:
            packed.extractall(HERE, filter="data")


def steps(options: argparse.Namespace) -> list[Step]:
    python = sys.executable
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--upgrade"]
    wheels = [str(path) for path in sorted((HERE / "wheel").glob("*.whl"))]
    found = [Step("install", [*pip, "--target", str(SITE), *wheels], 60)]
    unpack()
    programs = sorted(path for path in (HERE / "rust").iterdir() if not re.search(r"\.(so|dll|dylib)$", path.name))
    for path in programs:
        path.chmod(0o755)  # a copy over a network may have lost it
    benches = [path for path in programs if path.stem.startswith("strideview-bench")]
    found += [Step(f"rust {path.stem}", [str(path)], 120, "rust") for path in programs if path not in benches]
    pytest = [python, "-m", "pytest", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=60"]
    found.append(Step("python tests", [*pytest, "python/tests"], 150, "pytest", "python-tests.json"))
    for path in sorted((HERE / "gpu" / "tests").glob("test_*.py")):
        command = [*pytest, str(path.relative_to(HERE))]
        found.append(Step(f"gpu {path.stem.removeprefix('test_')}", command, 120, "pytest", "gpu-tests.json"))
    found += sanitizers() if options.sanitize else []
    found += [Step(f"bench rust {path.stem}", [str(path)], 60) for path in benches]
    for path in sorted((HERE / "gpu" / "bench").glob("*.py")):
        if path.stem == "cutensor":
            continue  # a part of copies
        found.append(Step(f"bench {path.stem}", [python, str(path.relative_to(HERE))], 120))
    return found


def environment(arguments: argparse.Namespace, out: pathlib.Path) -> dict[str, str]:
    """What every step sees: the installed package, the record folder, and nothing that grabs the GPU."""
    paths = [str(SITE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "STRIDEVIEW_REQUIRE": arguments.require,
        "STRIDEVIEW_RECORD": str(out),
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "RUST_BACKTRACE": "1",
    }


def execute(step: Step, limit: float, env: dict[str, str], log: pathlib.Path) -> tuple[str, str]:
    """Runs a step in a process group of its own; returns its outcome and what it wrote."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(step.command, cwd=HERE, env=env, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(limit)
            outcome = "ok" if status == 0 else f"status {status}"
        except subprocess.TimeoutExpired:
            outcome = f"stopped after {limit:.0f} s"
        finally:
            stop(process)
        output.seek(0)
        text = output.read().decode(errors="replace")
    with log.open("a", encoding="utf-8") as file:
        file.write(f"\n===== {step.name}: {outcome}\n{text}")
    return outcome, text


def stop(process: subprocess.Popen) -> None:
    """Ends what is left of the group that the step was started in."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def counted(step: Step, outcome: str, text: str, report: pathlib.Path, out: pathlib.Path) -> Result:
    result = Result(step.name, outcome)
    if step.kind == "rust":
        for passed, failed, ignored in re.findall(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", text):
            result.passed += int(passed)
            result.failed += int(failed)
            result.skipped += int(ignored)
    elif step.kind == "pytest" and report.exists():
        tests = cases(report)
        result.passed = sum(case["outcome"] == "passed" for case in tests)
        result.failed = sum(case["outcome"] == "failed" for case in tests)
        result.skipped = sum(case["outcome"] == "skipped" for case in tests)
        keep(out / step.record, tests)
    elif step.kind == "program":
        result.passed = int(outcome == "ok")
    # A step that ended badly is never shown without a failure: it may have died in the middle.
    if outcome != "ok" and result.failed == 0:
        result.failed = 1
    return result


def cases(report: pathlib.Path) -> list[dict[str, object]]:
    found = []
    for case in xml.parse(report).getroot().iter("testcase"):
        outcome, message = "passed", ""
        for tag, name in (("skipped", "skipped"), ("failure", "failed"), ("error", "failed")):
            for node in case.iter(tag):
                outcome, message = name, (node.get("message") or node.text or "")[:2000]
        name = f"{case.get('classname')}::{case.get('name')}"
        found.append({"test": name, "outcome": outcome, "seconds": float(case.get("time") or 0), "message": message})
    return found


def keep(path: pathlib.Path, tests: list[dict[str, object]]) -> None:
    earlier = json.loads(path.read_text()) if path.exists() else []
    lines = ",\n".join(json.dumps(test) for test in earlier + tests)
    path.write_text(f"[\n{lines}\n]\n")


def machine() -> dict[str, str]:
    """What the records must be read with."""
    asked = "name,driver_version,memory.total,clocks.max.sm"
    command = ["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader"]
    try:
        gpus = subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        gpus = ""
    told = {"gpus": gpus, "system": platform.platform(), "python": platform.python_version(), "cpus": str(os.cpu_count())}
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        model = re.search(r"model name\s*:\s*(.*)", cpuinfo.read_text())
        told["cpu"] = model.group(1) if model else ""
    return told | versions()


def versions() -> dict[str, str]:
    from importlib import metadata

    found = {}
    libraries = ("numpy", "torch", "cupy-cuda13x", "cupy-cuda12x", "jax", "numba-cuda", "cuda-core", "cuda-bindings", "mpi4py", "distributed")
    for name in (*libraries, "nvmath-python", "pytest"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    return found


def table(results: list[Result]) -> str:
    width = max(len(result.step) for result in results)
    lines = [f"{'step':<{width}} {'passed':>7} {'failed':>7} {'skipped':>7} {'seconds':>8}"]
    for r in results:
        note = "" if r.outcome == "ok" else f"  {r.outcome}"
        lines.append(f"{r.step:<{width}} {r.passed:>7} {r.failed:>7} {r.skipped:>7} {r.seconds:>8.1f}{note}")
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.sh", description="Runs the tests and benchmarks of the bundle.")
    listed = {"action": "append", "default": [], "metavar": "TEXT"}
    parser.add_argument("--only", **listed, help="only steps whose name contains TEXT, and the installation; may be repeated")
    parser.add_argument("--skip", **listed, help="no steps whose name contains TEXT; may be repeated")
    parser.add_argument("--require", default="cuda", metavar="NAMES", help="what a test must not skip for want of, with commas (default: cuda; '' for nothing)")
    parser.add_argument("--budget", type=float, default=560, metavar="SECONDS", help="start no step after this time, and stop the last one then (default: 560)")
    parser.add_argument("--sanitize", action="store_true", help="run the suite of copies under compute-sanitizer too: memcheck, racecheck, initcheck")
    parser.add_argument("--show", action="store_true", help="print what failed steps wrote, its last 3000 characters")
    return parser.parse_args()


def chosen(options: argparse.Namespace) -> list[Step]:
    found = []
    for step in steps(options):
        wanted = not options.only or step.name == "install" or any(text in step.name for text in options.only)
        if wanted and not any(text in step.name for text in options.skip):
            found.append(step)
    return found


def main() -> int:
    options = arguments()
    out = pathlib.Path(os.environ.get("OUT") or HERE / "out").resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in ("log.txt", "python-tests.json", "gpu-tests.json"):
        (out / old).unlink(missing_ok=True)
    env, about, results = environment(options, out), machine(), []
    deadline = time.monotonic() + options.budget
    for step in chosen(options):
        started = time.monotonic()
        if started > deadline:
            results.append(Result(step.name, "not run: no time left", failed=1))
            continue
        print(f"... {step.name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.xml"
            if step.kind == "pytest":
                step.command.append(f"--junitxml={report}")
            outcome, text = execute(step, min(step.limit, deadline - started), env, out / "log.txt")
            results.append(counted(step, outcome, text, report, out))
        results[-1].seconds = round(time.monotonic() - started, 1)
        if options.show and results[-1].failed:
            print(text[-3000:], flush=True)
        record = {"machine": about, "steps": [dataclasses.asdict(result) for result in results]}
        (out / "summary.json").write_text(json.dumps(record, indent=1) + "\n")
    print(table(results), flush=True)
    return 1 if any(result.failed for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
