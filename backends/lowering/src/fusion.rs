//! Fused loops: chains of elementwise ops with broadcasts, and the reductions among them and behind them, computed row
//! by row.
//!
//! [`group`] collects ops that run over the same elements; [`build`] makes a [`row_loop::RowLoop`] of a group, which a
//! target runs or generates code for. A softmax or a layer norm, forward or backward, is one such group: its reductions
//! are over rows, and what they give is a number a row.

pub mod build;
pub mod group;
pub mod row_loop;
