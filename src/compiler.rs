//! The [`Compiler`]: from a program and a plan to a [`Partition`].

use crate::budget;
use crate::error::Result;
use crate::partition::{OnPass, Partition};
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::driver::PassReport;

/// Builder that applies a plan to a program, optionally for a machine.
///
/// ```
/// use partita::prelude::*;
///
/// # fn main() -> partita::Result<()> {
/// let program = partita::load("zoo:mlp")?;
/// let plan = Plan::new(Mesh::new([("data", 2), ("model", 4)])?).preset("data,megatron");
/// let partition = Compiler::new(&program).plan(&plan).budget(gib(80)).partition()?;
/// println!("{partition}");
/// # Ok(()) }
/// ```
pub struct Compiler<'a> {
    program: &'a Program,
    plan: Plan,
    machine: Option<&'a Machine>,
    prices: Option<(&'a Prices<'a>, &'a Efficiencies)>,
    on_pass: Option<Box<OnPass<'a>>>,
}

impl<'a> Compiler<'a> {
    /// Creates a compiler for `program` with an empty plan, which is one device.
    pub fn new(program: &'a Program) -> Compiler<'a> {
        Compiler { program, plan: Plan::default(), machine: None, prices: None, on_pass: None }
    }

    /// Sets the plan. Call this before [`Compiler::budget`], which is part of the plan.
    #[must_use]
    pub fn plan(self, plan: &Plan) -> Self {
        Compiler { plan: plan.clone(), ..self }
    }

    /// Sets the target machine. The compiler then picks the lowering with the shortest predicted step, assigns less
    /// work to stages on slower devices, and fits stages into device memory where possible.
    #[must_use]
    pub fn machine(self, machine: &'a Machine) -> Self {
        Compiler { machine: Some(machine), ..self }
    }

    /// Sets the target machine by its collective prices, with the given efficiencies instead of the default ones. Takes
    /// precedence over [`Compiler::machine`].
    #[must_use]
    pub fn prices(self, prices: &'a Prices<'a>, efficiencies: &'a Efficiencies) -> Self {
        Compiler { prices: Some((prices, efficiencies)), ..self }
    }

    /// Sets the memory limit of a device, in bytes. A plan above the limit is an error that proposes changes.
    #[must_use]
    #[track_caller]
    pub fn budget(self, bytes: u64) -> Self {
        Compiler { plan: self.plan.budget(bytes.to_string()), ..self }
    }

    /// Calls `on_pass` after each pass. An error returned by `on_pass` ends the compilation.
    #[must_use]
    pub fn on_pass(self, on_pass: impl FnMut(&PassReport<'_>) -> std::result::Result<(), Diagnostic> + 'a) -> Self {
        Compiler { on_pass: Some(Box::new(on_pass)), ..self }
    }

    /// Applies the plan: one program for all devices of a mesh, or the stages of a pipeline, if the plan asks for any.
    /// A program in a later form than traced already has layouts, so its plan must be empty.
    ///
    /// # Errors
    /// Errors in the plan, `P001` for a plan on a program that already has layouts, `L005` for a plan above its budget,
    /// and the error of `on_pass`.
    pub fn partition(self) -> Result<Partition> {
        let Compiler { program, plan, machine, prices, on_pass } = self;
        let mut on_pass = on_pass.unwrap_or_else(|| Box::new(|_| Ok(())));
        let (of_machine, default) = (machine.map(Prices::new), Efficiencies::default());
        let by = prices.or(of_machine.as_ref().map(|prices| (prices, &default)));
        let partition = Partition::build(program, &plan, by, &mut *on_pass)?;
        let machine = by.map(|(prices, _)| prices.machine());
        budget::check_budget(program, &plan, machine, || budget::memory_of_partition(&partition, machine))?;
        Ok(partition)
    }
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;

    #[test]
    fn a_budget_is_checked_and_located_in_the_caller() {
        let program = crate::load("zoo:mlp").unwrap();
        let plan = Plan::new(Mesh::new([("data", 2)]).unwrap()).preset("data");
        let error = Compiler::new(&program).plan(&plan).budget(1000).partition().err().unwrap().to_string();
        assert!(error.starts_with("error[L005]") && error.contains(file!()), "{error}");
    }

    #[test]
    fn prices_count_as_their_machine() {
        let program = crate::load("zoo:mlp").unwrap();
        let plan = Plan::new(Mesh::new([("data", 2)]).unwrap()).preset("data");
        let machine = crate::load_machine("pcie4").unwrap();
        let prices = crate::machine::collective::choice::Prices::new(&machine);
        let efficiencies = crate::cost::roofline::Efficiencies::default();
        let by_machine = Compiler::new(&program).plan(&plan).machine(&machine).partition().unwrap();
        let by_prices = Compiler::new(&program).plan(&plan).prices(&prices, &efficiencies).partition().unwrap();
        assert_eq!(by_prices.results.input.machine, by_machine.results.input.machine);
        assert!(by_prices.results.input.machine.is_some());
    }
}
