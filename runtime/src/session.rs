//! A program at work: what one run leaves for the next stays on the devices, in pieces.

use crate::devices::{Pieces, Warm};
use crate::executor::Executable;
use crate::memory::Buffer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use std::sync::Arc;

/// An executable with the inputs that stay between its runs: parameters, and the state of an optimizer.
pub struct Session {
    executable: Executable,
    /// What each device holds, by input; nothing for an input that every run is given anew.
    held: Vec<Vec<Option<Arc<Buffer>>>>,
    /// The inputs that every run is given.
    open: Vec<usize>,
    /// An output, and the input of the next run that it becomes.
    carried: Vec<(usize, usize)>,
    /// What one run leaves for the next.
    warm: Warm,
}

impl Session {
    /// Puts what stays on the devices: by input of the main function its whole tensor, or nothing for what every run is
    /// given. `carried` are outputs by position, each with the input that it becomes.
    ///
    /// # Errors
    /// `R002` when a tensor is not what the program takes.
    pub fn start(
        executable: Executable,
        stays: &[Option<Tensor>],
        carried: Vec<(usize, usize)>,
    ) -> Result<Session, Diagnostic> {
        executable.expect_inputs(stays.len())?;
        let mut held = vec![vec![None; stays.len()]; executable.device_count()];
        for (input, tensor) in stays.iter().enumerate() {
            let Some(tensor) = tensor else { continue };
            for (held, piece) in held.iter_mut().zip(executable.scatter(input, tensor)?) {
                held[input] = Some(piece);
            }
        }
        let open = (0..stays.len()).filter(|&input| stays[input].is_none()).collect();
        Ok(Session { executable, held, open, carried, warm: Warm::default() })
    }

    /// Runs once on the inputs that do not stay, in their order, and returns the outputs that are not carried, whole.
    ///
    /// # Errors
    /// As [`Executable::run`]. What stays is lost then: it may have been half written over.
    pub fn run(&mut self, given: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let open = &self.open;
        if open.len() != given.len() {
            let title = format!("a run takes {} inputs, {} were given", open.len(), given.len());
            return Err(Diagnostic::new(Code::R002, title));
        }
        // What is written over must be nobody else's, so that it is handed over.
        let mut inputs: Vec<Vec<Option<Arc<Buffer>>>> = self.held.clone();
        for input in self.executable.written_over() {
            self.held.iter_mut().for_each(|held| held[input] = None);
        }
        for (&input, tensor) in open.iter().zip(given) {
            for (inputs, piece) in inputs.iter_mut().zip(self.executable.scatter(input, tensor)?) {
                inputs[input] = Some(piece);
            }
        }
        let inputs: Vec<Pieces> = inputs.into_iter().map(|inputs| inputs.into_iter().flatten().collect()).collect();
        let outputs = self.executable.run_devices(inputs, &mut self.warm)?;
        for carried in 0..self.carried.len() {
            let (output, input) = self.carried[carried];
            self.carry(output, input, &outputs)?;
        }
        let kept = (0..outputs[0].len()).filter(|output| !self.carried.iter().any(|(carried, _)| carried == output));
        kept.map(|output| self.executable.gather_output(output, &outputs)).collect()
    }

    /// How long the devices computed in the last run.
    pub fn seconds(&self) -> f64 {
        self.warm.seconds()
    }

    /// Makes an output an input of the next run. The memory of the input that it replaces goes to whoever computes it
    /// next.
    fn carry(&mut self, output: usize, input: usize, outputs: &[Pieces]) -> Result<(), Diagnostic> {
        let pieces: Pieces = if self.executable.lies_alike(output, input) {
            outputs.iter().map(|outputs| outputs[output].clone()).collect()
        } else {
            let whole = self.executable.gather_output(output, outputs)?;
            self.executable.scatter(input, &whole)?
        };
        for (rank, piece) in pieces.into_iter().enumerate() {
            let old = self.held[rank][input].replace(piece);
            let next = self.executable.computes_for(rank, output);
            self.warm.spare[next].buffers.extend(old.and_then(Arc::into_inner));
        }
        Ok(())
    }

    /// What stays now, whole, by input of the main function; nothing for what every run is given.
    ///
    /// # Errors
    /// `R003` when devices that should hold the same piece do not.
    pub fn held(&self) -> Result<Vec<Option<Tensor>>, Diagnostic> {
        (0..self.held[0].len())
            .map(|input| {
                let pieces: Option<Pieces> = self.held.iter().map(|held| held[input].clone()).collect();
                pieces.map(|pieces| self.executable.gather_input(input, &pieces)).transpose()
            })
            .collect()
    }
}
