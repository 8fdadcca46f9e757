//! Transforms: each gives a layout of the same elements, or of some of them; none copies.

mod axes;
mod broadcast;
mod flatten;
mod join;
mod repack;
mod reshape;
mod slice;
mod window;

pub use slice::Slice;

/// Writes the in-place twin of a transform by value: it changes the layout only when it succeeds.
macro_rules! in_place {
    ($(#[$doc:meta])* $in_place:ident, $by_value:ident ($($arg:ident : $type:ty),*)) => {
        $(#[$doc])*
        ///
        /// In place; the layout stays as it was when this fails. Allocates only beyond rank 8.
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($by_value), "`](Self::", stringify!($by_value), ").")]
        #[inline]
        pub fn $in_place(&mut self, $($arg: $type),*) -> $crate::Result<()> {
            *self = self.$by_value($($arg),*)?;
            Ok(())
        }
    };
}
pub(crate) use in_place;
