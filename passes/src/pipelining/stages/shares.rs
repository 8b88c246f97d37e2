//! The micro-batches of each replica of a pipeline.

use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::pipeline::PipelineConfig;
use std::ops::Range;

/// Returns the range of micro-batches of each replica. `seconds` is the time of a micro-batch in each of them.
///
/// # Errors
/// `G002` when there are fewer micro-batches than replicas.
pub(super) fn assign_shares(
    how: &PipelineConfig,
    micro_batches: u32,
    seconds: &[f64],
) -> Result<Vec<Range<u32>>, Diagnostic> {
    let counts = match &how.shares {
        Some(shares) => shares.iter().map(|&share| u32::try_from(share).unwrap_or(u32::MAX)).collect(),
        None => by_speed(micro_batches, seconds),
    };
    if counts.contains(&0) {
        let title =
            format!("{0} replicas need at least {0} micro-batches, but there are {micro_batches}", counts.len());
        let error = Diagnostic::new(Code::G002, title).label(how.place.clone(), "");
        return Err(error.help("use more micro-batches, or leave the slowest devices out"));
    }
    let mut next = 0;
    let share = |count: &u32| {
        next += count;
        next - count..next
    };
    Ok(counts.iter().map(share).collect())
}

/// Returns the number of micro-batches of each replica, such that the last replica finishes as early as possible. Each
/// micro-batch is assigned to the replica that would finish it first; ties go to the first replica.
fn by_speed(micro_batches: u32, seconds: &[f64]) -> Vec<u32> {
    let mut counts = vec![0; seconds.len()];
    for _ in 0..micro_batches {
        let done = |replica: &usize| f64::from(counts[*replica] + 1) * seconds[*replica];
        let next = (0..seconds.len()).min_by(|a, b| done(a).total_cmp(&done(b)));
        next.into_iter().for_each(|replica| counts[replica] += 1);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::by_speed;

    #[test]
    fn slower_replicas_get_fewer_micro_batches() {
        assert_eq!(by_speed(12, &[2.0, 1.0]), [4, 8], "a K80 beside a V100 of twice its speed: N and 2N");
        assert_eq!(by_speed(7, &[2.0, 1.0]), [2, 5]);
        assert_eq!(by_speed(8, &[1.0, 1.0, 1.0]), [3, 3, 2]);
    }

    #[test]
    fn no_other_split_finishes_earlier() {
        let last = |counts: &[u32], seconds: &[f64]| {
            counts.iter().zip(seconds).map(|(&n, s)| f64::from(n) * s).fold(0.0, f64::max)
        };
        for micro_batches in 1..20 {
            for seconds in [[1.0, 1.0], [1.0, 2.0], [3.0, 1.0], [1.0, 3.57]] {
                let best = (0..=micro_batches).map(|n| last(&[n, micro_batches - n], &seconds));
                let best = best.fold(f64::INFINITY, f64::min);
                assert!((last(&by_speed(micro_batches, &seconds), &seconds) - best).abs() < 1e-12);
            }
        }
    }
}
