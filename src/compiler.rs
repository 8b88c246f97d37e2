//! From a program and a plan to what its devices run: [`Compiler`].

use crate::budget;
use crate::error::Result;
use crate::partition::{OnPass, Partition};
use crate::pipeline::Pipeline;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::{Plan, Written};
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::driver::Ran;

/// Partitions a program as a plan says, for a machine if one is named.
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
    /// Compiles that program for one device, until a plan says otherwise.
    pub fn new(program: &'a Program) -> Compiler<'a> {
        Compiler { program, plan: Plan::default(), machine: None, prices: None, on_pass: None }
    }

    /// As that plan says.
    #[must_use]
    pub fn plan(self, plan: &Plan) -> Self {
        Compiler { plan: plan.clone(), ..self }
    }

    /// For that machine, on which the step is predicted to be no slower than without, and often is faster. Stages on
    /// its slower devices get less to do, and fit into its memory if they can.
    #[must_use]
    pub fn machine(self, machine: &'a Machine) -> Self {
        Compiler { machine: Some(machine), ..self }
    }

    /// For the machine of these prices, with such shares of what data sheets say.
    #[must_use]
    pub fn prices(self, prices: &'a Prices<'a>, efficiencies: &'a Efficiencies) -> Self {
        Compiler { prices: Some((prices, efficiencies)), machine: Some(prices.machine()), ..self }
    }

    /// Refuses what needs more bytes on a device than that, and says what would help.
    #[must_use]
    pub fn budget(mut self, bytes: u64) -> Self {
        self.plan.budget = Some(Written::here(bytes.to_string()));
        self
    }

    /// Tells `on_pass` about each pass; an error of its ends the work.
    #[must_use]
    pub fn on_pass(self, on_pass: impl FnMut(&Ran<'_>) -> std::result::Result<(), Diagnostic> + 'a) -> Self {
        Compiler { on_pass: Some(Box::new(on_pass)), ..self }
    }

    /// One program for all devices of a mesh. A program in a later form than traced goes on from there: its layouts are
    /// decided, so that the plan must be empty.
    ///
    /// # Errors
    /// What is wrong with the plan, `L005` when it needs more memory than its budget, and what `on_pass` says.
    pub fn partition(self) -> Result<Partition> {
        let Compiler { program, plan, machine, on_pass, .. } = self;
        let mut on_pass = on_pass.unwrap_or_else(|| Box::new(|_| Ok(())));
        let partition = Partition::make(program, &plan, machine, &mut *on_pass)?;
        budget::check(program, &plan, None, || budget::of_partition(partition.local()))?;
        Ok(partition)
    }

    /// The stages of a pipeline; a plan without stages is one of a single stage, which is not cut.
    ///
    /// # Errors
    /// As [`Compiler::partition`].
    pub fn pipeline(self) -> Result<Pipeline> {
        let Compiler { program, plan, machine, prices, on_pass } = self;
        let mut on_pass = on_pass.unwrap_or_else(|| Box::new(|_| Ok(())));
        let (of_machine, usual) = (machine.map(Prices::new), Efficiencies::default());
        let by = prices.or(of_machine.as_ref().map(|prices| (prices, &usual)));
        let pipeline = Pipeline::make(program, &plan, by, &mut *on_pass)?;
        budget::check(program, &plan, machine, || budget::of_pipeline(pipeline.stages()))?;
        Ok(pipeline)
    }
}
