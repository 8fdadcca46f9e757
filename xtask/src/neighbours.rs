//! The features that bring types of other crates: checked and tested here and nowhere else, because
//! what they depend on takes longer to build than all the rest.

use crate::Outcome;
use crate::lint::Check;
use crate::process;

const CRATE: &str = "strideview";

/// With what the example of cudarc needs, so that it is built too.
const FEATURES: &str = "ndarray,half,candle,_cudarc-example";

/// The tests in `tests/neighbours`. Each runs the example of its feature.
const TESTS: [&str; 4] = ["ndarray", "half", "candle", "cudarc"];

/// The modules whose documentation has examples.
const DOCUMENTED: [&str; 3] = ["interop::ndarray", "interop::candle", "interop::cudarc"];

/// Clippy, the tests, and the examples in the documentation.
pub(crate) fn run() -> Outcome {
    // Not worth a skipped check: `lint` says it already where there is no clippy.
    if let Check::Passed = crate::lint::has_clippy() {
        let clippy = ["clippy", "--package", CRATE, "--all-targets", "--features", FEATURES];
        let mut command = process::cargo(&clippy);
        command.args(["--", "-D", "warnings"]);
        process::run(command)?;
    }
    process::run(process::cargo(&tests()))?;
    let arguments = ["test", "--package", CRATE, "--features", FEATURES, "--doc", "--"];
    let mut command = process::cargo(&arguments);
    command.args(DOCUMENTED);
    process::run(command)
}

/// What cargo is told to run the tests.
pub(crate) fn tests() -> Vec<&'static str> {
    let mut arguments = vec!["test", "--package", CRATE, "--features", FEATURES];
    arguments.extend(TESTS.iter().flat_map(|name| ["--test", name]));
    arguments
}
