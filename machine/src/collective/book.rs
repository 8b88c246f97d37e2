//! The formulas by which the book compares ways to synchronise (Guanhua Wang, Distributed Machine Learning with Python,
//! 2022), in its model: no latency, and a link that carries one direction at a time.

/// Seconds of a round in which paths that share no link carry a part of `bytes` each, over links of so many bytes a
/// second: the two rings of four GPUs of a DGX-1 take g/(2 BW), its three trees g/(3 BW).
pub fn round(bytes: f64, paths: usize, bandwidth: f64) -> f64 {
    bytes / (paths as f64 * bandwidth)
}

/// Seconds of an `all_reduce` around a ring that does not cut the tensor, (2N-1) g/BW as the book counts hops.
pub fn whole_ring(bytes: f64, ranks: usize, bandwidth: f64) -> f64 {
    (2 * ranks).saturating_sub(1) as f64 * bytes / bandwidth
}

/// Seconds until `workers` have brought their gradients to sharded parameter servers and got the weights back, over one
/// link for each server: N g/(M BW) + N w/(M BW).
pub fn parameter_server(workers: usize, servers: usize, gradients: f64, weights: f64, bandwidth: f64) -> f64 {
    workers as f64 * (gradients + weights) / (servers as f64 * bandwidth)
}

/// The parts of the data that a fast and a slow link carry, so that both are done at the same time: with R times the
/// bandwidth R/(1+R) and 1/(1+R).
pub fn split(fast: f64, slow: f64) -> [f64; 2] {
    let ratio = fast / slow;
    [ratio / (1.0 + ratio), 1.0 / (1.0 + ratio)]
}
