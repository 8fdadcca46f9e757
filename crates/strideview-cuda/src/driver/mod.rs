//! The driver: its types, its library and its functions. What calls it is above.

pub(crate) mod library;
#[cfg(target_os = "linux")]
mod loads;
pub(crate) mod sys;
mod table;

pub(crate) use library::{Driver, driver, driver_in_use};

/// The name and the text of a status, when the driver is loaded and knows it.
pub(crate) fn describe_status(status: i32) -> Option<(&'static str, &'static str)> {
    let driver = library::driver_if_loaded()?;
    Some((driver.status_name(status)?, driver.status_text(status).unwrap_or("no text")))
}
