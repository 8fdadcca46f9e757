//! What the stand-in remembers, and what a test has asked of it.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::CString;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use libloading::Library;

use crate::CopyCall;
use crate::blocks::Blocks;

/// How many devices there are.
pub(crate) const DEVICES: i32 = 4;
/// The calls that work before `cuInit`, and that no test wants to count or fail.
const ALWAYS: [&str; 3] = ["cuGetErrorName", "cuGetErrorString", "cuDriverGetVersion"];

/// What the driver says of the addresses of a range.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Answers {
    /// 1 host, 2 device.
    pub memory_type: i32,
    /// Whether the memory is managed.
    pub managed: i32,
    /// The device that it belongs to.
    pub ordinal: i32,
    /// 1 host may read it, so its host pointer is its address.
    pub host: i32,
    /// 1 a device pointer is known.
    pub device: i32,
    /// What the device pointer is more than the address.
    pub alias: i64,
    /// 0 none, 1 read, 3 read and write.
    pub access: i32,
    /// The pool, or 0.
    pub pool: usize,
    /// The context, or 0.
    pub context: usize,
    /// Where the reservation starts that the range is a part of, 0 for the range itself.
    pub range_start: usize,
    /// Its size.
    pub range_size_in_bytes: usize,
}

#[derive(Clone, Default)]
pub(crate) struct StreamState {
    pub(crate) context: usize,
    pub(crate) waits: u64,
    pub(crate) capturing: bool,
}

#[derive(Clone, Default)]
pub(crate) struct EventState {
    pub(crate) context: usize,
    pub(crate) timing: bool,
    pub(crate) recorded: bool,
}

#[derive(Clone)]
pub(crate) struct Range {
    pub(crate) start: usize,
    pub(crate) size_in_bytes: usize,
    pub(crate) answers: Answers,
    pub(crate) registered: bool,
}

/// Everything, under one lock.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) initialised: bool,
    pub(crate) init_status: i32,
    pub(crate) counts: BTreeMap<&'static str, u64>,
    pub(crate) missing: HashSet<String>,
    until_failure: u64,
    failure: i32,
    pub(crate) failed: &'static str,
    pub(crate) contexts: HashMap<usize, i32>,
    pub(crate) retained: HashMap<i32, u64>,
    pub(crate) streams: HashMap<usize, StreamState>,
    pub(crate) events: HashMap<usize, EventState>,
    pub(crate) blocks: Blocks,
    pub(crate) ranges: Vec<Range>,
    pub(crate) pool_access: HashMap<(usize, i32), i32>,
    pub(crate) thresholds: HashMap<usize, u64>,
    pub(crate) libraries: HashSet<usize>,
    pub(crate) kernels: HashMap<usize, CString>,
    pub(crate) launches: HashMap<CString, u64>,
    pub(crate) copies: Vec<CopyCall>,
    pub(crate) emulator: Option<Library>,
    pub(crate) refuses_machine_code: bool,
    handles: usize,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

thread_local! {
    /// The contexts of this thread, the current one last.
    static CONTEXTS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// The primary context of a device.
pub(crate) fn primary(device: i32) -> usize {
    0xc0_0000 + device.unsigned_abs() as usize * 0x1000
}

/// The default pool of a device.
pub(crate) fn default_pool(device: i32) -> usize {
    0xb0_0000 + device.unsigned_abs() as usize * 0x1000
}

pub(crate) fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a call of the driver: counts it, fails it when a test asked for that, and checks that the
/// driver is initialised.
pub(crate) fn call(name: &'static str, work: impl FnOnce(&mut State) -> Result<(), i32>) -> i32 {
    let mut state = lock();
    let always = ALWAYS.contains(&name);
    if !always {
        *state.counts.entry(name).or_default() += 1;
        if state.until_failure > 0 {
            state.until_failure -= 1;
            if state.until_failure == 0 {
                state.failed = name;
                return state.failure;
            }
        }
        if !state.initialised && name != "cuInit" {
            return 3;
        }
    }
    work(&mut state).err().unwrap_or(0)
}

impl State {
    /// Forgets counts, scripts and wishes of a test; what is alive stays alive.
    pub(crate) fn reset(&mut self) {
        self.counts.clear();
        self.missing.clear();
        self.ranges.retain(|range| range.registered);
        self.pool_access.clear();
        self.launches.clear();
        self.copies.clear();
        self.refuses_machine_code = false;
        self.init_status = 0;
        self.fail(0, 0);
    }

    /// Fails the `nth` call from now on, counted from 1; 0 for none.
    pub(crate) fn fail(&mut self, nth: u64, status: i32) {
        self.until_failure = nth;
        self.failure = status;
        self.failed = "";
    }

    pub(crate) fn handle(&mut self) -> usize {
        self.handles += 0x40;
        0xd0_0000 + self.handles
    }

    /// The device of a context.
    pub(crate) fn device_of(&self, context: usize) -> Result<i32, i32> {
        let primary = (0..DEVICES).find(|device| primary(*device) == context);
        primary.or_else(|| self.contexts.get(&context).copied()).ok_or(201)
    }

    /// The context and the device that are current.
    pub(crate) fn here(&self) -> Result<(usize, i32), i32> {
        let context = current();
        Ok((context, self.device_of(context)?))
    }

    /// The context of a stream.
    pub(crate) fn context_of(&self, stream: usize) -> Result<usize, i32> {
        match stream {
            0..=2 => self.here().map(|(context, _)| context),
            stream => self.streams.get(&stream).map(|stream| stream.context).ok_or(400),
        }
    }
}

/// An attribute of a device: see the table of the crate.
pub(crate) fn device_attribute(device: i32, attribute: i32) -> Result<i32, i32> {
    let on = match attribute {
        11 => return Ok(i32::MAX),
        16 => return Ok(8),
        75 => return Ok(if device == 3 { 8 } else { 9 }),
        76 => false,
        83 => device != 3,
        88 => device == 2,
        89 => device != 1 && device != 3,
        91 => device != 1,
        115 => device != 3,
        _ => return Err(1),
    };
    Ok(i32::from(on))
}

/// The current context of this thread, 0 for none.
pub(crate) fn current() -> usize {
    CONTEXTS.with_borrow(|contexts| contexts.last().copied().unwrap_or(0))
}

/// How many contexts this thread has pushed.
pub(crate) fn depth() -> usize {
    CONTEXTS.with_borrow(Vec::len)
}

pub(crate) fn push(context: usize) {
    CONTEXTS.with_borrow_mut(|contexts| contexts.push(context));
}

pub(crate) fn pop() -> Result<usize, i32> {
    CONTEXTS.with_borrow_mut(Vec::pop).ok_or(201)
}

/// Replaces the current context; 0 pops it.
pub(crate) fn set_current(context: usize) {
    CONTEXTS.with_borrow_mut(|contexts| {
        contexts.pop();
        if context != 0 {
            contexts.push(context);
        }
    });
}
