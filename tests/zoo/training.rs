//! Training steps of the built-in models: whatever the layout, every step's loss and the parameters in the end are
//! those of one device; and what is sent, held and computed is what the papers say.

mod agree;
mod compute;
mod freezing;
mod memory;
mod micro_batches;
mod precision;
mod remat;
mod steps;
mod traffic;

use super::models;
