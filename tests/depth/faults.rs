//! Irregular layers.
