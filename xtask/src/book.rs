//! The book: the pages in `docs`, and the references of both languages beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::lint;
use crate::process;
use crate::python::Venv;
use crate::wheel;
use crate::workspace::Workspace;

/// The version of mdBook that is installed into the target folder.
const MDBOOK: &str = "0.5.4";

/// Its settings, which say where the pages are and where the book goes.
const SETTINGS: &str = "book";

/// What makes the reference of the Python package, and what checks the links.
const REFERENCE: &str = "book/reference.py";
const LINKS: &str = "book/links.py";

/// Builds the book from nothing.
pub(crate) fn run() -> Outcome {
    lint::doc()?;
    let venv = Venv::ready()?;
    wheel::install(&venv)?;
    let book = build(&venv)?;
    println!("the book: {}", book.join("index.html").display());
    Ok(())
}

/// Builds the book where the Rust documentation is built and the wheel installed; its folder.
pub(crate) fn build(venv: &Venv) -> Outcome<PathBuf> {
    let target = Workspace::load()?.target;
    let book = target.join("book");
    let mut command = Command::new(mdbook(&target)?);
    command.args(["build", SETTINGS, "--dest-dir"]).arg(std::path::absolute(&book).map_err(said)?);
    no_warning(&process::hear(command)?)?;
    let mut command = venv.command(&["-W", "error", REFERENCE]);
    command.arg(book.join("python"));
    process::run(command)?;
    copy(&target.join("doc"), &book.join("rust"))?;
    let mut command = venv.command(&[LINKS]);
    command.arg(&book);
    process::run(command)?;
    Ok(book)
}

fn said(error: std::io::Error) -> String {
    error.to_string()
}

/// The program, installed unless that version is there. An unoptimised build takes a fraction of
/// the time, and builds the book in a second.
fn mdbook(target: &Path) -> Outcome<PathBuf> {
    let tools = target.join("tools");
    let program = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    let mut question = Command::new(&program);
    question.arg("--version");
    if process::ask(question).is_some_and(|version| version.trim() == format!("mdbook v{MDBOOK}")) {
        return Ok(program);
    }
    let mut command = process::cargo(&["install", "mdbook", "--version", MDBOOK, "--locked"]);
    command.args(["--no-default-features", "--features", "search", "--debug", "--root"]);
    command.arg(&tools).env("CARGO_PROFILE_DEV_DEBUG", "0");
    process::run(command)?;
    Ok(program)
}

/// mdBook goes on after a fault in a page, and only says so.
fn no_warning(log: &str) -> Outcome {
    let is_fault = |line: &&str| ["WARN", "ERROR"].iter().any(|word| line.trim().starts_with(word));
    match log.lines().find(is_fault) {
        Some(line) => Err(line.trim().to_owned()),
        None => Ok(()),
    }
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> Outcome {
    let fault = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(fault)?;
    for entry in fs::read_dir(from).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let inner = to.join(entry.file_name());
        if entry.file_type().map_err(fault)?.is_dir() {
            copy(&entry.path(), &inner)?;
        } else {
            fs::copy(entry.path(), &inner).map_err(fault)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_of_mdbook_is_a_failure() {
        assert_eq!(no_warning(" INFO Running the html backend\n INFO HTML book written\n"), Ok(()));
        let log =
            " INFO Running\n WARN unclosed HTML tag `<p>` found in `start.md`\n INFO written\n";
        assert_eq!(
            no_warning(log),
            Err("WARN unclosed HTML tag `<p>` found in `start.md`".to_owned())
        );
        assert!(no_warning("ERROR Error updating \"{{#include}}\"\n").is_err());
    }
}
