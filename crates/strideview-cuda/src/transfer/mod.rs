//! Copies between memory of the host and memory of a device.
//!
//! What crosses the link is called the *wire*: the bytes to move, dense, in the order that the host
//! has them in, so that the host only ever moves runs, and the device permutes. `wire` cuts it into
//! chunks, `driver_copy` says what one call of the driver moves, and `transfer_plan` chooses between
//! them. `run` does a plan: pinned memory is moved by the device alone (`direct`), pageable memory
//! goes through pinned slots of a `ring`, at once (`inline`) or in the order of the stream
//! (`queued`). `retire` keeps what asynchronous work still uses, and `peer` goes from one device to
//! another.

mod direct;
mod driver_copy;
mod inline;
mod peer;
mod queued;
mod retire;
mod ring;
mod run;
mod transfer_plan;
mod wire;

pub use peer::enqueue_peer;
pub use retire::{Keep, wait_for_retired};
pub use ring::{release_staging, staging_bytes};
pub use run::{enqueue_transfer, transfer};
pub use transfer_plan::{Direction, HostMemory, TransferPlan};
