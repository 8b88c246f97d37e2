//! Burn, in the version that traced modules must be written for, with annotations of tensors and the exchange of
//! weights.

pub use partita_burn::burn::*;
pub use partita_burn::{Annotate, read_weights, write_weights};
