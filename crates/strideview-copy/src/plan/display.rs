//! The printed form of a plan: one line for each fact.
#![forbid(unsafe_code)]

use std::fmt;

use super::copy_plan::CopyPlan;

/// Kernel, axes, first offsets and bytes to move, a line each.
///
/// ```
/// let plan = strideview_copy::CopyPlan::new(&[2, 3], &[12, 4], &[4, -8], 4)?;
/// assert_eq!(
///     plan.to_string(),
///     "kernel: transposed, runs of 4 bytes\n\
///      axes: 2 (destination 12, source 4), 3 (destination 4, source -8)\n\
///      first run: destination 0, source 0\n\
///      bytes to move: 24"
/// );
/// # Ok::<(), strideview_copy::CopyError>(())
/// ```
impl fmt::Display for CopyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel: {}, runs of {} bytes", self.kernel(), self.run_bytes())?;
        f.write_str("axes: ")?;
        if self.axes().is_empty() {
            f.write_str("none")?;
        }
        for (position, axis) in self.axes().iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(
                f,
                "{comma}{} (destination {}, source {})",
                axis.extent, axis.dst_stride, axis.src_stride
            )?;
        }
        writeln!(
            f,
            "\nfirst run: destination {}, source {}",
            self.dst_offset(),
            self.src_offset()
        )?;
        write!(f, "bytes to move: {}", self.bytes())
    }
}
