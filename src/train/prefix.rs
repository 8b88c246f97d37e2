//! The frozen front of a model as a program of its own, whose results are kept by sample: from the second epoch on its
//! forward pass is not run for samples that are known.

use super::bind::Binding;
use super::data::Dataset;
use crate::compiler::Compiler;
use crate::error::Result;
use crate::session::{Port, Session};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text;
use partita_passes::cut::Cut;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self};
use partita_runtime::cache::{Budget, Cache, Counts, fingerprint};
use partita_runtime::footprint::Footprint;

/// A model whose frozen front is cut off.
pub(crate) struct Front {
    prefix: Program,
    /// What is trained.
    pub(crate) suffix: Program,
}

impl Front {
    /// Cuts a model as the plan freezes it.
    ///
    /// # Errors
    /// `D011` when there is nothing to cut off, or what is cannot be kept by sample.
    pub(crate) fn of(model: &Program, plan: &Plan) -> Result<Front> {
        if let Some(entry) = plan.precision.first() {
            let error = Diagnostic::new(Code::D011, "what frozen layers give is not kept in another precision");
            return Err(error
                .at(entry.text.span(), "")
                .help("train without a cache, or in the model's own types")
                .into());
        }
        let mut program = model.clone();
        let plan = Plan { freeze: plan.freeze.clone(), train_only: plan.train_only.clone(), ..Plan::default() };
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        pipelines::make_step(&mut program, &input, &mut findings)?;
        let Cut { prefix, suffix, .. } = Cut::of(&program)?;
        Ok(Front { prefix, suffix })
    }
}

/// The front at work.
pub(crate) struct Prefix {
    session: Session,
    /// What it takes of memory on each device.
    pub(crate) footprint: Footprint,
    binding: Binding,
    results: Vec<Port>,
    cache: Cache,
}

impl Prefix {
    /// Begins with these parameters, on the devices of the plan.
    pub(crate) fn begin(
        front: &Front,
        plan: &Plan,
        data: &Dataset,
        tensors: &IndexMap<String, Tensor>,
        budget: &Budget,
    ) -> Result<Prefix> {
        let partition = Compiler::new(&front.prefix).plan(&split_by_samples(plan, &front.prefix)).partition()?;
        let session = partition.start(tensors)?;
        let binding = Binding::of(partition.planned(), session.given(), data, &[])?;
        let results = session.results().to_vec();
        let params = front.prefix.params.values();
        let mut made_by = fingerprint(0, text::print(&front.prefix).as_bytes());
        for tensor in params.filter_map(|param| tensors.get(&param.path)) {
            made_by = fingerprint(made_by, &tensor.to_bytes());
        }
        let folder = budget.folder.clone().unwrap_or_default();
        let cache = Cache::new(budget.clone(), made_by).map_err(|e| Diagnostic::of_file("write to", &folder, &e))?;
        Ok(Prefix { session, footprint: partition.footprint()?, binding, results, cache })
    }

    /// What the front gives for some samples: kept, or computed for all of them when one is not.
    pub(crate) fn run(&mut self, ids: &[usize]) -> Result<Vec<Tensor>> {
        let batch = self.binding.batch;
        // Every sample is asked for, so that the counts are of samples.
        let kept: Vec<Option<Vec<u8>>> = ids.iter().map(|&id| self.cache.get(id as u64)).collect();
        let kept: Option<Vec<Vec<u8>>> = kept.into_iter().collect();
        let sizes: Vec<usize> = self.results.iter().map(|port| bytes_in(&port.ty) / batch).collect();
        if let Some(kept) = kept {
            let mut start = 0;
            let tensors = self.results.iter().zip(&sizes).map(|(port, size)| {
                let range = start..start + size;
                start += size;
                let held: Vec<&[u8]> = kept.iter().map(|sample| &sample[range.clone()]).collect();
                Tensor::from_bytes(port.ty.clone(), &held.concat())
            });
            return Ok(tensors.collect());
        }
        let tensors = self.session.run(&self.binding.inputs(ids, [0; 2], &[]))?;
        let made: Vec<Vec<u8>> = tensors.iter().map(Tensor::to_bytes).collect();
        for (i, &id) in ids.iter().enumerate() {
            let parts = made.iter().zip(&sizes).map(|(made, size)| &made[i * size..(i + 1) * size]);
            self.cache.put(id as u64, &parts.collect::<Vec<_>>().concat());
        }
        Ok(tensors)
    }

    /// What the front gives, by name.
    pub(crate) fn results(&self) -> &[Port] {
        &self.results
    }

    /// How often a sample was known.
    pub(crate) fn counts(&self) -> Counts {
        self.cache.counts()
    }
}

/// Bytes of a tensor in a file.
fn bytes_in(ty: &Type) -> usize {
    ty.shape.count() * ty.dtype.bytes() as usize
}

/// A plan for the front alone: samples are split over all devices, and parameters are whole. It needs no communication.
fn split_by_samples(plan: &Plan, prefix: &Program) -> Plan {
    let Some(mesh) = plan.mesh.clone().or_else(|| Plan::of_annotations(prefix).ok()?.mesh) else {
        return Plan::default();
    };
    let axes: Vec<String> = mesh.axes.iter().map(|a| a.name.to_string()).collect();
    let inputs = prefix.inputs().iter().filter(|&&v| prefix.param_of(v).is_none());
    inputs.fold(Plan::new(mesh), |plan, &input| {
        let rest = ", _".repeat(prefix.ty(input).shape.rank().saturating_sub(1));
        plan.shard(prefix.path_of(input), format!("{}{rest}", axes.join("+")))
    })
}
