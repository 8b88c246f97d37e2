//! Assignment of GPUs to processes.

use partita_ir::diag::{Code, Diagnostic};
use std::ops::Range;

/// Ranks of a host, as the process of some of them sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostRanks {
    /// Number of ranks in processes of this host with lower numbers.
    pub before: usize,
    /// Number of ranks of this process.
    pub own: usize,
    /// Number of ranks of all processes of this host.
    pub all: usize,
}

/// Returns the CUDA device numbers of the ranks of a process, given the number of GPUs that it sees: its share of the
/// GPUs of the host, or all of them if the launcher shows other GPUs to each process.
///
/// # Errors
/// `A003` for fewer GPUs than ranks.
pub fn gpus_of_process(ranks: HostRanks, gpus: usize) -> Result<Range<usize>, Diagnostic> {
    let HostRanks { before, own, all } = ranks;
    if gpus >= all {
        return Ok(before..before + own);
    }
    if gpus == own {
        return Ok(0..own);
    }
    let title = format!("the ranks of this host have {all} devices of the mesh, but see {gpus} of its GPUs");
    Err(Diagnostic::new(Code::A003, title)
        .note("each device of the mesh runs on a GPU of its own")
        .help("start the ranks on more hosts, or choose a smaller mesh"))
}

/// Checks that no GPU is used twice; `gpus` are the identifiers of the GPUs of each process.
///
/// # Errors
/// `A003` with the processes that have the same GPU.
pub fn check_distinct(gpus: &[Vec<[u8; 16]>]) -> Result<(), Diagnostic> {
    let all: Vec<(usize, [u8; 16])> = gpus
        .iter()
        .enumerate()
        .flat_map(|(process, of_process)| of_process.iter().map(move |&id| (process, id)))
        .collect();
    for (number, (process, id)) in all.iter().enumerate() {
        if let Some((other, _)) = all[..number].iter().find(|(_, other)| other == id) {
            let title = format!("ranks {other} and {process} have the same GPU");
            return Err(Diagnostic::new(Code::A003, title)
                .help("show each process its own GPUs by `CUDA_VISIBLE_DEVICES`, or show all GPUs to all processes"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;

    #[test]
    fn processes_of_a_host_have_different_gpus() {
        let of = |before, own, all, gpus| gpus_of_process(HostRanks { before, own, all }, gpus).map_err(|e| e.title);
        assert_eq!(of(0, 1, 4, 4), Ok(0..1));
        assert_eq!(of(3, 1, 4, 8), Ok(3..4));
        assert_eq!(of(2, 2, 4, 4), Ok(2..4));
        // `srun --gpus-per-task=1` shows one GPU to each process.
        assert_eq!(of(3, 1, 4, 1), Ok(0..1));
        assert!(of(1, 1, 4, 2).unwrap_err().contains("have 4 devices of the mesh, but see 2 of its GPUs"));
        assert!(of(0, 2, 2, 1).unwrap_err().contains("see 1 of its GPUs"));
    }

    #[test]
    fn a_gpu_that_is_used_twice_is_an_error() {
        let gpu = |number: u8| [number; 16];
        check_distinct(&[vec![gpu(0), gpu(1)], vec![gpu(2)]]).unwrap();
        let error = check_distinct(&[vec![gpu(0)], vec![gpu(1)], vec![gpu(0)]]).unwrap_err();
        assert_eq!(error.title, "ranks 0 and 2 have the same GPU");
    }
}
