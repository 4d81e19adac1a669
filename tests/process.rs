//! Children that never outlive us: calls through a guard, and scratch folders.

mod guard;
mod scratch;
