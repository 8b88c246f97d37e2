//! A program at work: what one run leaves for the next stays on the devices, in pieces.

use crate::executor::{Executable, Pieces};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use std::sync::Arc;

/// An executable with the inputs that stay between its runs: parameters, and the state of an optimizer.
pub struct Session {
    executable: Executable,
    /// What each device holds, by input; nothing for an input that every run is given anew.
    held: Vec<Vec<Option<Arc<Tensor>>>>,
    /// An output, and the input of the next run that it becomes.
    carried: Vec<(usize, usize)>,
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
        Ok(Session { executable, held, carried })
    }

    /// Runs once on the inputs that do not stay, in their order, and returns the outputs that are not carried, whole.
    ///
    /// # Errors
    /// As [`Executable::run`]; what stays is then as it was before.
    pub fn run(&mut self, given: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let open: Vec<usize> = (0..self.held[0].len()).filter(|&input| self.held[0][input].is_none()).collect();
        if open.len() != given.len() {
            let title = format!("a run takes {} inputs, {} were given", open.len(), given.len());
            return Err(Diagnostic::new(Code::R002, title));
        }
        let mut inputs = self.held.clone();
        for (&input, tensor) in open.iter().zip(given) {
            for (inputs, piece) in inputs.iter_mut().zip(self.executable.scatter(input, tensor)?) {
                inputs[input] = Some(piece);
            }
        }
        let inputs: Vec<Pieces> = inputs.into_iter().map(|inputs| inputs.into_iter().flatten().collect()).collect();
        let outputs = self.executable.run_devices(inputs)?;
        for carried in 0..self.carried.len() {
            let (output, input) = self.carried[carried];
            self.carry(output, input, &outputs)?;
        }
        let kept = (0..outputs[0].len()).filter(|output| !self.carried.iter().any(|(carried, _)| carried == output));
        kept.map(|output| self.executable.gather_output(output, &outputs)).collect()
    }

    /// Makes an output an input of the next run.
    fn carry(&mut self, output: usize, input: usize, outputs: &[Pieces]) -> Result<(), Diagnostic> {
        if self.executable.lies_alike(output, input) {
            for (held, outputs) in self.held.iter_mut().zip(outputs) {
                held[input] = Some(outputs[output].clone());
            }
            return Ok(());
        }
        let whole = self.executable.gather_output(output, outputs)?;
        for (held, piece) in self.held.iter_mut().zip(self.executable.scatter(input, &whole)?) {
            held[input] = Some(piece);
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
