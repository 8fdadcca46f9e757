//! Programs on layouts, decoded from bytes: a constructor and a chain of transforms with wild arguments.
//!
//! [`run_program`] is the body of the fuzz target `layout_ops`, which includes this file by its path, and
//! of the replay test. After each step the cheap laws hold, otherwise it panics.

mod check;
mod decode;
mod operation;
mod twin;

pub(crate) use check::check_layout;
pub(crate) use operation::{Operation, Order};
pub(crate) use twin::run_both;

use decode::Decoder;
use strideview_layout::StridedLayout;

/// The most transforms of one program.
const MOST_STEPS: usize = 12;

/// What happened in a program: the name of each step and the code of its error.
pub(crate) type Trace = Vec<(&'static str, Option<&'static str>)>;

/// Decodes and runs one program.
///
/// # Panics
/// When a law does not hold.
pub(crate) fn run_program(bytes: &[u8]) -> Trace {
    let mut decoder = Decoder::new(bytes);
    let mut trace = Trace::new();
    let mut layout = match decoder.layout() {
        Ok(layout) => layout,
        Err(error) => return vec![("construct", Some(error.code()))],
    };
    trace.push(("construct", None));
    check_layout(&layout);
    while !decoder.is_done() && trace.len() <= MOST_STEPS {
        let operation = decoder.operation(&layout);
        let outcome = step(&mut layout, &operation);
        trace.push((operation.name(), outcome));
    }
    trace
}

/// Runs one transform both ways and returns the code of its error.
fn step(layout: &mut StridedLayout, operation: &Operation) -> Option<&'static str> {
    match run_both(layout, operation) {
        Ok(result) => {
            check_layout(&result);
            *layout = result;
            None
        }
        Err(error) => Some(error.code()),
    }
}
