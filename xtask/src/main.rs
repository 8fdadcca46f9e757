//! The commands of the project: `cargo xtask` lists them.
//!
//! Only the standard library is used, so a machine needs nothing but cargo and a Python with pip.
//! Every command runs from the root of the repository and is printed before it runs.

#![forbid(unsafe_code)]

mod arrows;
mod bench;
mod book;
mod demo;
mod features;
mod gpu_bundle;
mod json;
mod kernels;
mod licences;
mod lint;
mod minimum;
mod neighbours;
mod package;
mod process;
mod python;
mod sdist;
mod test;
mod tools;
mod wheel;
mod workspace;

use std::process::ExitCode;

/// What a command comes to: nothing, or the reason why it failed.
type Outcome<T = ()> = Result<T, String>;

/// One command of `cargo xtask`.
struct Task {
    name: &'static str,
    about: &'static str,
    run: Run,
}

/// How a command is run.
enum Run {
    /// It takes no arguments.
    Alone(fn() -> Outcome),
    /// It is given all arguments after its name.
    With(fn(&[String]) -> Outcome),
}

const TASKS: &[Task] = &[
    Task {
        name: "demo",
        about: "build and install the Python package, then run python/examples/demo.py [ARGUMENTS]",
        run: Run::With(demo::run),
    },
    Task {
        name: "test",
        about: "run everything that CI runs, up to the first failure",
        run: Run::Alone(test::run),
    },
    Task { name: "ci", about: "the same as test", run: Run::Alone(test::run) },
    Task {
        name: "lint",
        about: "check formatting, clippy and the crate arrows",
        run: Run::Alone(lint::run),
    },
    Task { name: "fmt", about: "format the Rust code", run: Run::Alone(lint::format) },
    Task {
        name: "arrows",
        about: "check which crate depends on which",
        run: Run::Alone(arrows::run),
    },
    Task {
        name: "doc",
        about: "build the Rust documentation, warnings are errors",
        run: Run::Alone(lint::doc),
    },
    Task {
        name: "book",
        about: "build the book with the references of both languages, and check every link",
        run: Run::Alone(book::run),
    },
    Task {
        name: "neighbours",
        about: "check and test the features for ndarray, half, candle and cudarc",
        run: Run::Alone(neighbours::run),
    },
    Task {
        name: "wheel",
        about: "build the release wheel; --manylinux builds and checks one for older systems",
        run: Run::With(wheel::run),
    },
    Task {
        name: "sdist",
        about: "build the source distribution, install it and run the demonstration",
        run: Run::Alone(sdist::run),
    },
    Task {
        name: "bench",
        about: "run the benchmarks: [layout | copy [OPTIONS, --help lists them]]",
        run: Run::With(bench::run),
    },
    Task {
        name: "package",
        about: "make and check the packages of the crates",
        run: Run::Alone(package::run),
    },
    Task {
        name: "minimum",
        about: "test with the oldest Rust, dependencies, Python and NumPy, and with the newest",
        run: Run::With(minimum::run),
    },
    Task {
        name: "deny",
        about: "check licences, bans and sources with cargo-deny, built when first used; --advisories",
        run: Run::With(tools::deny),
    },
    Task {
        name: "semver",
        about: "compare the public items with those at REVISION, the tag of a release",
        run: Run::With(tools::semver),
    },
    Task {
        name: "kernels",
        about: "compile the CUDA kernels into the images that are checked in; --check compares",
        run: Run::With(kernels::run),
    },
    Task {
        name: "gpu-bundle",
        about: "make dist/gpu-bundle, tests and benchmarks to run on a machine with a GPU",
        run: Run::Alone(gpu_bundle::run),
    },
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        return explain(&name);
    };
    match enter_root().and_then(|()| task.run.call(&rest)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask {name}: failed: {reason}");
            ExitCode::FAILURE
        }
    }
}

impl Run {
    fn call(&self, arguments: &[String]) -> Outcome {
        match (self, arguments.first()) {
            (Run::With(run), _) => run(arguments),
            (Run::Alone(run), None) => run(),
            (Run::Alone(_), Some(argument)) => {
                Err(format!("this command takes no arguments, got {argument:?}"))
            }
        }
    }
}

/// Lists the commands; a failure unless the list was asked for.
fn explain(name: &str) -> ExitCode {
    println!("usage: cargo xtask COMMAND\n\ncommands:");
    for task in TASKS {
        println!("  {:<10} {}", task.name, task.about);
    }
    println!("\nThe environment variable PYTHON names the interpreter to use instead of python3.");
    if ["", "help", "-h", "--help"].contains(&name) {
        return ExitCode::SUCCESS;
    }
    eprintln!("\nxtask: no command is called {name:?}");
    ExitCode::from(2)
}

/// Makes the root of the repository the current folder, so that every printed command can be
/// pasted there.
fn enter_root() -> Outcome {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .ok_or("run it as `cargo xtask`, which says where the repository is")?;
    let root = std::path::Path::new(&manifest).join("..");
    std::env::set_current_dir(&root).map_err(|error| format!("{}: {error}", root.display()))
}
