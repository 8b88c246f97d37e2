//! Features of dependencies that every build with Burn or kernels for GPUs selects.
//!
//! Burn and CubeCL share dependencies with other crates of the workspace, which enable more of their features. They
//! are enabled here, too, so that a build with one of them uses the same compiled crates as a build of the workspace.
//! `cargo xtask features` checks that the list is complete.
