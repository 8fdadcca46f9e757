//! Everything that must hold before a change goes in, from the quickest check to the slowest.

use std::path::Path;

use crate::Outcome;
use crate::arrows;
use crate::book;
use crate::features;
use crate::licences;
use crate::lint::{self, Check};
use crate::neighbours;
use crate::process;
use crate::python::{Interpreter, Venv};
use crate::wheel;

const ALLOWLIST: &str = "python/stubtest-allowlist.txt";

/// The engines and libraries that the package is tested with.
const ENGINES: &str = "python/requirements-engines.txt";

/// Asks the dynamic loader for the CUDA driver, as the package itself does.
const DRIVER_QUESTION: &str = "import ctypes, sys; \
    ctypes.CDLL('nvcuda.dll' if sys.platform == 'win32' else 'libcuda.so.1')";

/// Runs everything, up to the first failure.
pub(crate) fn run() -> Outcome {
    // Asked first, so that a missing Python is known before minutes of building.
    Interpreter::find()?;
    let mut report = Report::default();
    report.enter("fmt", lint::fmt()?);
    report.enter("clippy", lint::clippy()?);
    arrows::run()?;
    report.passed.push("arrows");
    features::run()?;
    report.passed.push("features");
    licences::run()?;
    report.passed.push("licences");
    process::run(process::cargo(&["test"]))?;
    report.passed.push("cargo test");
    neighbours::run()?;
    report.passed.push("neighbours");
    lint::doc()?;
    report.passed.push("doc");
    let venv = Venv::ready()?;
    venv.require(ENGINES)?;
    wheel::install(&venv)?;
    report.passed.push("wheel");
    python(&venv, &mut report)?;
    report.print();
    Ok(())
}

/// The checks of the installed Python package.
fn python(venv: &Venv, report: &mut Report) -> Outcome {
    let mut stubtest = venv.command(&["-m", "mypy.stubtest", "strideview"]);
    stubtest.args(["--mypy-config-file", "pyproject.toml"]);
    if Path::new(ALLOWLIST).exists() {
        // An entry may be for some Python versions only.
        stubtest.args(["--allowlist", ALLOWLIST, "--ignore-unused-allowlist"]);
    }
    process::run(stubtest)?;
    report.passed.push("stubtest");
    process::run(venv.command(&["-m", "mypy", "--strict", "python/examples", "book"]))?;
    report.passed.push("mypy");
    process::run(venv.command(&["-m", "pytest", "python/tests"]))?;
    report.passed.push("pytest");
    book::build(venv)?;
    report.passed.push("book");
    if process::ask(venv.command(&["-c", DRIVER_QUESTION])).is_none() {
        eprintln!("GPU tests: not run here (no CUDA driver)");
        return Ok(());
    }
    process::run(venv.command(&["-m", "pytest", "gpu/tests"]))?;
    report.passed.push("GPU tests");
    Ok(())
}

/// What ran and what could not.
#[derive(Default)]
struct Report {
    passed: Vec<&'static str>,
    skipped: Vec<&'static str>,
}

impl Report {
    fn enter(&mut self, name: &'static str, check: Check) {
        match check {
            Check::Passed => self.passed.push(name),
            Check::Skipped(reason) => {
                lint::warn_skipped(reason);
                self.skipped.push(reason);
            }
        }
    }

    fn print(&self) {
        for reason in &self.skipped {
            lint::warn_skipped(reason);
        }
        println!("xtask test: passed: {}", self.passed.join(", "));
    }
}
