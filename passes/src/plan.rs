//! From what the user decided to a layout for every value.

pub mod apply_plan;
pub mod cut_stages;
pub(crate) mod find;
pub mod freeze;
pub mod name_dims;
pub mod no_effect;
pub mod presets;
pub mod propagate;
pub mod ties;
