//! Copies decoded from bytes: two layouts, a machine, and where the memory lies.
//!
//! [`run_program`] is the body of the fuzz target `copies`, which includes this file by its path, and of
//! the replay test. It panics when a byte is not what the naive copy makes it.

mod decode;

use decode::Decoder;
use strideview_copy::host::{self, HostKernel, HostPlan, Machine};
use strideview_copy::{CopyError, CopyPlan};

use crate::oracle::{Case, copied};
use crate::runner::noise;

/// Guard bytes around the destination.
const GUARD: usize = 64;

/// A copy, and how it is done.
#[derive(Debug)]
struct Program {
    case: Case,
    machine: Machine,
    /// How far from an aligned address (destination, source) the lowest byte of a side lies.
    misaligned: (usize, usize),
    /// How far the source lies from the destination, where both are in one memory.
    apart: Option<i64>,
}

/// Decodes and does one copy. Returns what did it, in a few words.
///
/// # Panics
/// When a byte is wrong: one of the destination, a guard byte, or one of the source.
pub(crate) fn run_program(bytes: &[u8]) -> String {
    let program = Decoder::new(bytes).program();
    let Case { shape, dst_strides, src_strides, itemsize } = &program.case;
    let plan = CopyPlan::new(shape, dst_strides, src_strides, *itemsize).expect("it fits");
    match program.apart {
        None => {
            let host = HostPlan::new(&plan, &program.machine);
            copy_apart(&program, &host);
            let threads = if host.threads() > 1 { " threads" } else { "" };
            let streamed = if host.is_streamed() { " streamed" } else { "" };
            let size = match plan.run_bytes() {
                bytes @ 1..=31 if host.kernel() != HostKernel::Contiguous => format!(" {bytes}"),
                _ => String::new(),
            };
            format!("{}{size}{streamed}{threads}", host.kernel())
        }
        Some(apart) => {
            copy_in_one_memory(&program, &plan, apart).expect("a little memory");
            let direction = if apart < 0 { "down" } else { "up" };
            format!("overlapping {} {direction}", plan.kernel())
        }
    }
}

fn small(number: i128) -> usize {
    usize::try_from(number).expect("small")
}

/// Two memories. That of the source ends where its last item does, so that a checker of memory sees a
/// read beyond.
fn copy_apart(program: &Program, host: &HostPlan) {
    let case = &program.case;
    let (to, from) = (case.dst_span(), case.src_span());
    let before_dst = GUARD + program.misaligned.0;
    let mut dst = noise(before_dst + small(to.1 - to.0) + GUARD, 1);
    let src = noise(program.misaligned.1 + small(from.1 - from.0), 2);
    let (dst_at, src_at) =
        (small(before_dst as i128 - to.0), small(program.misaligned.1 as i128 - from.0));
    let expected = copied(&case.elements(), case.itemsize, (&dst, dst_at), (&src, src_at));
    let source = src.clone();
    let to = dst.as_mut_ptr().wrapping_add(dst_at);
    // SAFETY: (1) both vectors hold the span of their side; (2, 3) they are two local variables.
    unsafe { host.copy(to, src.as_ptr().wrapping_add(src_at)) };
    assert!(dst == expected, "{program:?}\n{host}");
    assert!(src == source, "the source has changed: {program:?}\n{host}");
}

/// One memory for both sides, which may share bytes.
fn copy_in_one_memory(program: &Program, plan: &CopyPlan, apart: i64) -> Result<(), CopyError> {
    let case = &program.case;
    let (to, from) = (case.dst_span(), case.src_span());
    let apart = i128::from(apart);
    let low = to.0.min(from.0 + apart);
    let high = to.1.max(from.1 + apart);
    let before = GUARD + program.misaligned.0;
    let mut memory = noise(before + small(high - low) + GUARD, 3);
    let dst_at = small(before as i128 - low);
    let src_at = small(dst_at as i128 + apart);
    let expected = copied(&case.elements(), case.itemsize, (&memory, dst_at), (&memory, src_at));
    let address = memory.as_mut_ptr();
    let (dst, src) = (address.wrapping_add(dst_at), address.wrapping_add(src_at));
    // SAFETY: (1) the vector holds the spans of both sides; (2) it is a local variable.
    unsafe { host::copy_overlapping(plan, dst, src) }?;
    assert!(memory == expected, "{program:?}\n{plan}");
    Ok(())
}
