//! Features of dependencies that every build of the workspace selects.
//!
//! Builds with Burn and CubeCL enable features of small dependencies of all crates, such as `half/serde`. They are
//! enabled here, too, so that builds with and without these frontends and backends use the same compiled crates. `cargo
//! xtask features` checks that the list is complete.
