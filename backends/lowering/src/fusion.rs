//! Loop fusion: elementwise ops with broadcasts, the reductions between them and the ops that use the reduced values,
//! computed row by row.
//!
//! [`group`] collects ops over the same elements; [`build`] turns a group into a [`row_loop::RowLoop`], which a target
//! interprets or generates code for. A forward or backward softmax or layer norm is one group: its reductions are over
//! rows and yield one number per row.

pub mod build;
pub mod group;
pub mod row_loop;
