//! The checks that run no code of the project: formatting, clippy, arrows, licences, the table of
//! features, documentation.

use crate::Outcome;
use crate::arrows;
use crate::features;
use crate::licences;
use crate::process;

/// Whether a check ran. Some need a part of the toolchain that a machine may lack.
pub(crate) enum Check {
    /// It ran and found nothing.
    Passed,
    /// It could not run, for this reason.
    Skipped(&'static str),
}

/// Runs the quick checks.
pub(crate) fn run() -> Outcome {
    for check in [fmt()?, clippy()?] {
        if let Check::Skipped(reason) = check {
            warn_skipped(reason);
        }
    }
    features::run()?;
    licences::run()?;
    arrows::run()
}

/// Says loudly that a check could not run.
pub(crate) fn warn_skipped(reason: &str) {
    eprintln!("WARNING: NOT CHECKED: {reason}");
}

/// Formats the code.
pub(crate) fn format() -> Outcome {
    process::run(process::cargo(&["fmt", "--all"]))
}

/// Checks the formatting.
pub(crate) fn fmt() -> Outcome<Check> {
    if process::ask(process::cargo(&["fmt", "--version"])).is_none() {
        return Ok(Check::Skipped("fmt, this toolchain has no rustfmt"));
    }
    process::run(process::cargo(&["fmt", "--all", "--check"]))?;
    Ok(Check::Passed)
}

/// Whether the toolchain has clippy.
pub(crate) fn has_clippy() -> Check {
    match process::ask(process::cargo(&["clippy", "--version"])) {
        Some(_) => Check::Passed,
        None => Check::Skipped("clippy, this toolchain has no clippy"),
    }
}

/// Runs clippy over all crates and all their tests, but for the features that `neighbours` checks.
pub(crate) fn clippy() -> Outcome<Check> {
    if let skipped @ Check::Skipped(_) = has_clippy() {
        return Ok(skipped);
    }
    let arguments = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let mut command = process::cargo(&arguments);
    // The extension's build asks an interpreter for its version: the one chosen here.
    if let Some(python) = std::env::var_os("PYTHON") {
        command.env("PYO3_PYTHON", python);
    }
    process::run(command)?;
    Ok(Check::Passed)
}

/// Builds the documentation of the crates, with warnings as errors.
pub(crate) fn doc() -> Outcome {
    let mut flags = std::env::var("RUSTDOCFLAGS").unwrap_or_default();
    flags.push_str(" -D warnings");
    let mut command = process::cargo(&["doc", "--no-deps"]);
    command.env("RUSTDOCFLAGS", flags.trim_start());
    process::run(command)
}
