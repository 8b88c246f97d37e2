//! Searches on small models.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests")]

mod plan_text;
mod properties;
mod search;
mod stages;
