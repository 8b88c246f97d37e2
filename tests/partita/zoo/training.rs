//! Training steps of the built-in models: for every layout, losses and final parameters are those of one device;
//! communication, memory and arithmetic match the papers.

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
