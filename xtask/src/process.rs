//! Running other programs: each is printed first, in a form that a shell would take.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::process::{Command, Stdio};

use crate::Outcome;

/// A cargo command, not yet run.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments);
    command
}

/// Prints and runs a command; anything but success is a failure that names it.
pub(crate) fn run(mut command: Command) -> Outcome {
    announce(&command);
    let status = command.status().map_err(|error| cannot_start(&command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("{} ({status})", shown(&command))) }
}

/// Prints and runs a command; returns what it wrote to its standard output.
pub(crate) fn read(mut command: Command) -> Outcome<String> {
    announce(&command);
    command.stderr(Stdio::inherit());
    let output = command.output().map_err(|error| cannot_start(&command, &error))?;
    if !output.status.success() {
        return Err(format!("{} ({})", shown(&command), output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{}: {error}", shown(&command)))
}

/// Prints and runs a command; returns what it wrote to its standard error, and shows it.
pub(crate) fn hear(mut command: Command) -> Outcome<String> {
    announce(&command);
    let output = command.output().map_err(|error| cannot_start(&command, &error))?;
    let heard = String::from_utf8_lossy(&output.stderr).into_owned();
    eprint!("{heard}");
    if output.status.success() {
        Ok(heard)
    } else {
        Err(format!("{} ({})", shown(&command), output.status))
    }
}

/// What a question such as `cargo fmt --version` answers, silently; `None` where it cannot.
pub(crate) fn ask(mut command: Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

fn announce(command: &Command) {
    eprintln!("$ {}", shown(command));
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start {}: {error}", command.get_program().display())
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let mut line = String::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            // Writing to a String cannot fail.
            let _ = write!(line, "{}={} ", name.display(), quoted(value));
        }
    }
    line += &quoted(command.get_program());
    for argument in command.get_args() {
        line.push(' ');
        line += &quoted(argument);
    }
    line
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%\\".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = cargo(&["doc", "it's", ""]);
        command.env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(shown(&command), r"RUSTDOCFLAGS='-D warnings' cargo doc 'it'\''s' ''");
    }

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let reason = run(Command::new("no-such-program-anywhere")).unwrap_err();
        assert!(reason.starts_with("cannot start no-such-program-anywhere: "), "{reason}");
    }
}
