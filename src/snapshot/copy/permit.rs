//! How many private copies there are at a time (specification, reference harness 14.10).

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A bound on the private copies that exist at a time; its clones share it.
#[derive(Clone, Debug)]
pub struct Copies(Arc<Room>);

#[derive(Debug)]
struct Room {
    free: Mutex<usize>,
    given_back: Condvar,
}

/// The right to one copy, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Permit(Arc<Room>);

impl Copies {
    /// At most `limit` at a time, and at least one.
    pub fn new(limit: usize) -> Copies {
        Copies(Arc::new(Room { free: Mutex::new(limit.max(1)), given_back: Condvar::new() }))
    }

    /// Waits until there may be one more.
    pub(super) fn wait(&self) -> Permit {
        let mut free = self.0.lock();
        while *free == 0 {
            free = self.0.given_back.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        drop(free);
        Permit(Arc::clone(&self.0))
    }
}

impl Room {
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        self.0.given_back.notify_one();
    }
}
