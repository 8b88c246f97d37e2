//! The short mode of benchmarks: `cargo bench ... -- --test`, as criterion has it, does everything once and measures
//! nothing.

/// Returns whether the benchmark runs in its short mode.
pub fn is_short() -> bool {
    std::env::args().any(|word| word == "--test")
}
