//! Names of dtypes: those of NumPy and `ml_dtypes`, with the lanes of a vector appended.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fmt;

use super::DType;

impl DType {
    /// The name in NumPy or `ml_dtypes`; a vector appends its lanes. Allocates for vectors only.
    ///
    /// The lanes follow an `x`, or `_x` where the name of a lane has an underscore, as in torch's
    /// `float4_e2m1fn_x2`.
    ///
    /// ```
    /// use strideview::{DType, Error};
    /// assert_eq!(DType::F8_E4M3FN.name(), "float8_e4m3fn");
    /// assert_eq!(DType::from_dlpack(2, 32, 4, false)?.name(), "float32x4");
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        match self.known_name() {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(self.to_string()),
        }
    }

    /// The dtype with this name, or None when there is none.
    ///
    /// ```
    /// use strideview::DType;
    /// assert_eq!(DType::from_name("complex64"), Some(DType::C64));
    /// assert_eq!(DType::from_name("uint8x3").map(DType::lanes), Some(3));
    /// assert_eq!(DType::from_name("float7"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        if let Some((dtype, _)) = found {
            return Some(*dtype);
        }
        let (scalar, lanes) = name.rsplit_once('x')?;
        let scalar = Self::from_name(scalar.strip_suffix('_').unwrap_or(scalar))?;
        let lanes = lanes.parse().ok().filter(|&lanes| scalar.lanes == 1 && lanes > 1)?;
        let vector = Self::from_dlpack(scalar.code, scalar.bits, lanes, false).ok()?;
        (vector.to_string() == name).then_some(vector)
    }

    fn known_name(self) -> Option<&'static str> {
        Self::ALL.iter().find(|(dtype, _)| *dtype == self).map(|(_, name)| *name)
    }

    /// The name of one lane.
    fn lane_name(self) -> &'static str {
        let is_lane =
            |dtype: &DType| (dtype.code, dtype.bits, dtype.lanes) == (self.code, self.bits, 1);
        let found = Self::ALL.iter().find(|(dtype, _)| is_lane(dtype));
        found.map_or("unnamed", |(_, name)| *name) // invariant 1: every lane is in the table
    }
}

/// The [`name`](DType::name), without allocating.
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.known_name() {
            return f.pad(name);
        }
        let lane = self.lane_name();
        let separator = if lane.contains('_') { "_x" } else { "x" };
        write!(f, "{lane}{separator}{}", self.lanes)
    }
}
