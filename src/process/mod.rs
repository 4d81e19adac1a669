//! Children that never outlive us.
