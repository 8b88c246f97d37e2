//! Exchange of measurements between ranks.

use crate::error::Result;
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::processes::Processes;

/// Returns the numbers of each rank, which passes as many as the others.
///
/// # Errors
/// `R005` when another rank fails, or passes another number of numbers.
pub(super) fn gather_numbers(processes: &Processes, own: &[f64]) -> Result<Vec<Vec<f64>>> {
    let bytes: Vec<u8> = own.iter().flat_map(|number| number.to_le_bytes()).collect();
    let all = processes.all_gather(&bytes)?;
    let numbers = |(rank, bytes): (usize, &Vec<u8>)| {
        if bytes.len() != 8 * own.len() {
            let title = format!("rank {rank} has measured {} programs, this rank {}", bytes.len() / 8, own.len());
            return Err(Diagnostic::new(Code::R005, title)
                .help("start all ranks with the same version and flags")
                .into());
        }
        let chunks = bytes.chunks_exact(8);
        Ok(chunks
            .map(|bytes| bytes.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte)))
            .map(f64::from_bits)
            .collect())
    };
    all.iter().enumerate().map(numbers).collect()
}
