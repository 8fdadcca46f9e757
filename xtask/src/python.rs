//! The interpreter and the virtual environment that the Python side runs in.
//!
//! The environment is made without pip and filled by the pip of the interpreter outside
//! (`pip --python`): Debian ships `venv` without the package that puts pip inside, and refuses to
//! install anything outside an environment.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::Outcome;
use crate::process;

/// The oldest version that the wheel supports; `requires-python` in pyproject.toml says the same.
pub(crate) const MINIMUM: (u32, u32) = (3, 11);

/// The environment, in the root of the repository.
const FOLDER: &str = ".venv";

/// What builds and tests the package.
const DEVELOPMENT: &str = "python/requirements-dev.txt";

/// Prints the version, whether pip is there, and the interpreter outside of any environment.
const QUESTION: &str = "import sys, importlib.util as u; \
    print(*sys.version_info[:2], u.find_spec('pip') is not None, \
    getattr(sys, '_base_executable', None) or sys.executable)";

/// An interpreter that has pip and is new enough.
pub(crate) struct Interpreter {
    program: OsString,
}

impl Interpreter {
    /// Finds the interpreter: the one that `PYTHON` names, or else `python3`. Inside an active
    /// environment that has no pip, it is the one which that environment was made from.
    pub(crate) fn find() -> Outcome<Interpreter> {
        let named = std::env::var_os("PYTHON");
        Self::of(named.unwrap_or_else(|| OsString::from(default_program())))
    }

    /// The interpreter that a program is, or that the environment of the program was made from.
    pub(crate) fn of(program: OsString) -> Outcome<Interpreter> {
        let answer = Answer::of(&program)?;
        if answer.pip {
            return Ok(Interpreter { program });
        }
        if Answer::of(OsStr::new(&answer.base))?.pip {
            return Ok(Interpreter { program: answer.base.into() });
        }
        Err(format!(
            "wanted pip, got a Python without it: {} (Debian: apt install python3-pip; \
             elsewhere: python3 -m ensurepip)",
            answer.base
        ))
    }

    fn module(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-m").args(arguments);
        command
    }
}

fn default_program() -> &'static str {
    if cfg!(windows) { "python" } else { "python3" }
}

/// What an interpreter says of itself.
struct Answer {
    pip: bool,
    base: String,
}

impl Answer {
    /// Asks the interpreter; an error where there is none or it is too old.
    fn of(program: &OsStr) -> Outcome<Answer> {
        let wanted = format!("wanted Python {}.{} or newer", MINIMUM.0, MINIMUM.1);
        let hint = "set PYTHON to the interpreter to use";
        let mut command = Command::new(program);
        command.args(["-c", QUESTION]);
        let said = process::ask(command)
            .ok_or_else(|| format!("{wanted}, {} does not run: {hint}", program.display()))?;
        let (version, answer) = Answer::parse(&said)
            .ok_or_else(|| format!("{wanted}, {} said {said:?}: {hint}", program.display()))?;
        if version < MINIMUM {
            let (major, minor) = version;
            return Err(format!("{wanted}, {} is {major}.{minor}: {hint}", program.display()));
        }
        Ok(answer)
    }

    fn parse(said: &str) -> Option<((u32, u32), Answer)> {
        let mut words = said.trim_end().splitn(4, ' ');
        let version = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let pip = words.next()? == "True";
        Some((version, Answer { pip, base: words.next()?.to_owned() }))
    }
}

/// A virtual environment.
pub(crate) struct Venv {
    outside: Interpreter,
    folder: PathBuf,
}

impl Venv {
    /// The environment with all that development needs, made or brought up to date.
    pub(crate) fn ready() -> Outcome<Venv> {
        let venv = Venv { outside: Interpreter::find()?, folder: PathBuf::from(FOLDER) };
        let python = venv.python();
        if !python.exists() {
            venv.make()?;
        }
        Answer::of(python.as_os_str())
            .map_err(|reason| format!("{reason}, or remove {FOLDER} to have it made again"))?;
        venv.require(DEVELOPMENT)?;
        Ok(venv)
    }

    /// An empty environment in a folder, whatever was there before.
    pub(crate) fn fresh(outside: Interpreter, folder: PathBuf) -> Outcome<Venv> {
        let venv = Venv { outside, folder };
        venv.make()?;
        Ok(venv)
    }

    fn make(&self) -> Outcome {
        // --clear: an interpreter that was removed or upgraded leaves a broken environment.
        let mut command = self.outside.module(&["venv", "--without-pip", "--clear"]);
        command.arg(&self.folder);
        process::run(command)
    }

    /// The interpreter inside.
    pub(crate) fn python(&self) -> PathBuf {
        self.program("python")
    }

    /// A program that a package put inside.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.folder.join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// A command for the interpreter inside, not yet run.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.python());
        command.args(arguments);
        command
    }

    /// Installs into the environment.
    pub(crate) fn install(&self, arguments: &[&str]) -> Outcome {
        let mut command = self.outside.module(&["pip", "--python"]);
        command.arg(self.python()).arg("install").args(arguments);
        process::run(command)
    }

    /// Installs what a requirement file lists, unless that was done since the file last changed.
    /// A copy of the file, kept in the environment, tells.
    pub(crate) fn require(&self, file: &str) -> Outcome {
        let wanted = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let stamp = self.folder.join(file.replace('/', "-"));
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(());
        }
        self.install(&["-r", file])?;
        fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read() {
        let (version, answer) = Answer::parse("3 11 True /opt/my python/bin/python3\n").unwrap();
        assert_eq!((version, answer.pip), ((3, 11), true));
        assert_eq!(answer.base, "/opt/my python/bin/python3");
        assert!(Answer::parse("Python 2.7").is_none());
    }

    #[test]
    fn a_missing_interpreter_is_named() {
        let reason = Answer::of(OsStr::new("no-such-python")).err().unwrap();
        assert!(reason.starts_with("wanted Python 3.11 or newer, no-such-python"), "{reason}");
    }
}
