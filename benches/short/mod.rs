//! The short mode of benchmarks, `cargo bench ... -- --test` as in criterion, which runs everything once without
//! measuring.

/// Returns true if the benchmark runs in short mode.
pub fn is_short() -> bool {
    std::env::args().any(|word| word == "--test")
}
