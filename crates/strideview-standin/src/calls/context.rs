//! The stack of contexts of a thread.

use crate::out::Out;
use crate::state::{current, pop, push, set_current};

calls! { state;
    fn cuCtxGetCurrent(context: Out<usize>) {
        let _ = state;
        context.put(current())
    }
    fn cuCtxPushCurrent(context: usize) {
        state.device_of(context)?;
        push(context);
        Ok(())
    }
    fn cuCtxPopCurrent(context: Out<usize>) {
        let _ = state;
        context.put(pop()?)
    }
    fn cuCtxSetCurrent(context: usize) {
        if context != 0 {
            state.device_of(context)?;
        }
        set_current(context);
        Ok(())
    }
    fn cuCtxGetDevice(device: Out<i32>) {
        device.put(state.here()?.1)
    }
    fn cuCtxSynchronize() {
        state.here().map(drop)
    }
    fn cuCtxEnablePeerAccess(peer: usize, flags: u32) {
        let (here, _) = state.here()?;
        state.device_of(peer)?;
        if flags != 0 || peer == here { Err(1) } else { Ok(()) }
    }
}
