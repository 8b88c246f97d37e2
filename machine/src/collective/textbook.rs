//! Textbook formulas for synchronisation methods (Guanhua Wang, Distributed Machine Learning with Python, 2022). Model:
//! no latency, and links that carry one direction at a time.

/// Returns the seconds in which link-disjoint paths transfer `bytes` in equal parts; `bandwidth` is in bytes per
/// second. The two rings of four GPUs of a DGX-1 need g/(2 BW), the three trees g/(3 BW).
pub fn path_seconds(bytes: f64, paths: usize, bandwidth: f64) -> f64 {
    bytes / (paths as f64 * bandwidth)
}

/// Returns the seconds of an `all_reduce` around a ring without chunking: (2N-1) g/BW, as the book counts hops.
pub fn unchunked_ring_seconds(bytes: f64, ranks: usize, bandwidth: f64) -> f64 {
    (2 * ranks).saturating_sub(1) as f64 * bytes / bandwidth
}

/// Returns the seconds in which `workers` push gradients to sharded parameter servers and pull weights, with one link
/// per server: N g/(M BW) + N w/(M BW).
pub fn parameter_server_seconds(workers: usize, servers: usize, gradients: f64, weights: f64, bandwidth: f64) -> f64 {
    workers as f64 * (gradients + weights) / (servers as f64 * bandwidth)
}

/// Returns the fractions of the data for a fast and a slow link that finish at the same time: R/(1+R) and 1/(1+R) for a
/// bandwidth ratio of R.
pub fn split_fractions(fast: f64, slow: f64) -> [f64; 2] {
    let ratio = fast / slow;
    [ratio / (1.0 + ratio), 1.0 / (1.0 + ratio)]
}
