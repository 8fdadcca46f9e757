//! Programs of others that check a release: built when they are first asked for, inside the folder of
//! the project.

use std::path::PathBuf;
use std::process::Command;

use crate::Outcome;
use crate::process;
use crate::workspace::Workspace;

/// A program on the registry of crates.
struct Tool {
    name: &'static str,
    version: &'static str,
}

const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };
const SEMVER_CHECKS: Tool = Tool { name: "cargo-semver-checks", version: "0.51.0" };

/// Checks licences, bans and sources of all dependencies on all platforms; with `--advisories` known
/// vulnerabilities too, the list of which is fetched.
pub(crate) fn deny(arguments: &[String]) -> Outcome {
    let mut checks = vec!["licenses", "bans", "sources"];
    match arguments {
        [] => {}
        [option] if option == "--advisories" => checks.push("advisories"),
        _ => return Err(format!("wanted nothing or --advisories, got {arguments:?}")),
    }
    let mut command = Command::new(DENY.installed()?);
    command.args(["--all-features", "check"]).args(checks);
    process::run(command)
}

/// Compares the public items of the crates with those at a revision: the tag of the last release.
pub(crate) fn semver(arguments: &[String]) -> Outcome {
    let [baseline] = arguments else {
        return Err(format!(
            "wanted a revision to compare with, such as v0.1.0, got {arguments:?}"
        ));
    };
    let mut command = Command::new(SEMVER_CHECKS.installed()?);
    command.args(["semver-checks", "--workspace", "--baseline-rev", baseline]);
    for package in Workspace::load()?.packages.iter().filter(|package| !package.published) {
        command.args(["--exclude", &package.name]);
    }
    process::run(command)
}

impl Tool {
    /// The program, after building it unless it is there: several minutes, and more if it were
    /// optimised.
    fn installed(&self) -> Outcome<PathBuf> {
        let Self { name, version } = self;
        let root = Workspace::load()?.target.join("tools").join(format!("{name}-{version}"));
        let program = root.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        if !program.exists() {
            let mut command = process::cargo(&["install", "--locked", "--version", version, name]);
            command.args(["--debug", "--root"]).arg(&root).env("CARGO_PROFILE_DEV_DEBUG", "0");
            process::run(command)?;
        }
        Ok(program)
    }
}
