//! Frozen prefix of a model as a separate program, whose outputs are cached by sample, so that the forward pass of
//! frozen layers runs once for each sample.

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
use partita_passes::driver::{Findings, Input};
use partita_passes::frozen_prefix::FrozenSplit;
use partita_passes::pipelines::{self};
use partita_runtime::cache::{Budget, Cache, Counts, fingerprint};
use partita_runtime::footprint::Footprint;
use partita_runtime::processes::Processes;
use partita_runtime::source::{TensorSource, read_global};
use std::sync::Arc;

/// A model split after its frozen layers.
pub(crate) struct SplitModel {
    prefix: Program,
    /// Program with the trainable layers.
    pub(crate) suffix: Program,
}

impl SplitModel {
    /// Splits a model after the layers that the plan freezes.
    ///
    /// # Errors
    /// `D011` for a model without a frozen prefix, or with outputs of it that cannot be cached by sample.
    pub(crate) fn new(model: &Program, plan: &Plan) -> Result<SplitModel> {
        if let Some(entry) = plan.precision.first() {
            let error = Diagnostic::new(Code::D011, "outputs of frozen layers cannot be cached in another precision");
            return Err(error
                .label(entry.text.span(), "")
                .help("train without `--cache`, or without `--precision`")
                .into());
        }
        let mut program = model.clone();
        let plan = Plan { freeze: plan.freeze.clone(), train_only: plan.train_only.clone(), ..Plan::default() };
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        pipelines::build_step(&mut program, &input, &mut findings)?;
        let FrozenSplit { prefix, suffix, .. } = FrozenSplit::new(&program)?;
        Ok(SplitModel { prefix, suffix })
    }
}

/// Frozen prefix on its devices, with a cache.
pub(crate) struct FrozenPrefix {
    session: Session,
    /// Memory of the device that needs most.
    pub(crate) footprint: Footprint,
    binding: Binding,
    outputs: Vec<Port>,
    cache: Cache,
}

impl FrozenPrefix {
    /// Compiles the prefix and stores its parameters on the devices of the plan.
    pub(crate) fn begin(
        split: &SplitModel,
        plan: &Plan,
        data: &Dataset,
        (source, processes): (&dyn TensorSource, Option<&Arc<Processes>>),
        budget: &Budget,
    ) -> Result<FrozenPrefix> {
        let partition = Compiler::new(&split.prefix).plan(&data_parallel_plan(plan, &split.prefix)).partition()?;
        // Every process runs the prefix, whose parameters are replicated.
        let mut tensors = IndexMap::new();
        for param in split.prefix.params.values().filter(|param| source.ty(&param.path).is_some()) {
            let tensor = read_global(source, &param.path, processes.map(|processes| &**processes))?;
            tensors.insert(param.path.clone(), tensor);
        }
        let session = partition.start(&tensors)?;
        let processes = processes.map(|processes| &**processes);
        let binding = Binding::new(&partition, session.batch_inputs(), data, (&[], processes))?;
        let outputs = session.outputs().to_vec();
        let params = split.prefix.params.values();
        let mut prefix_hash = fingerprint(0, text::print(&split.prefix).as_bytes());
        for tensor in params.filter_map(|param| tensors.get(&param.path)) {
            prefix_hash = fingerprint(prefix_hash, &tensor.to_bytes());
        }
        let folder = budget.folder.clone().unwrap_or_default();
        let cache =
            Cache::new(budget.clone(), prefix_hash).map_err(|e| Diagnostic::io_error("write to", &folder, &e))?;
        Ok(FrozenPrefix { session, footprint: partition.footprint()?, binding, outputs, cache })
    }

    /// Returns the outputs of the prefix for some samples: from the cache if all samples are cached, otherwise
    /// recomputed for all.
    pub(crate) fn run(&mut self, ids: &[usize]) -> Result<Vec<Tensor>> {
        let batch = self.binding.batch;
        // All samples are looked up, so that hits and misses are counted by sample.
        let cached: Vec<Option<Vec<u8>>> = ids.iter().map(|&id| self.cache.get(id as u64)).collect();
        let cached: Option<Vec<Vec<u8>>> = cached.into_iter().collect();
        let sizes: Vec<usize> = self.outputs.iter().map(|port| bytes_in(&port.ty) / batch).collect();
        if let Some(cached) = cached {
            let mut start = 0;
            let tensors = self.outputs.iter().zip(&sizes).map(|(port, size)| {
                let range = start..start + size;
                start += size;
                let parts: Vec<&[u8]> = cached.iter().map(|sample| &sample[range.clone()]).collect();
                Tensor::from_bytes(port.ty.clone(), &parts.concat())
            });
            return Ok(tensors.collect());
        }
        let tensors = self.session.run_from(&self.binding.batch(ids, [0; 2], &[]))?;
        let computed: Vec<Vec<u8>> = tensors.iter().map(Tensor::to_bytes).collect();
        for (i, &id) in ids.iter().enumerate() {
            let parts = computed.iter().zip(&sizes).map(|(computed, size)| &computed[i * size..(i + 1) * size]);
            self.cache.put(id as u64, &parts.collect::<Vec<_>>().concat());
        }
        Ok(tensors)
    }

    /// Outputs of the prefix, with names and types.
    pub(crate) fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// Cache hits and misses by sample.
    pub(crate) fn counts(&self) -> Counts {
        self.cache.counts()
    }
}

/// Bytes of a tensor in a cache file.
fn bytes_in(ty: &Type) -> usize {
    ty.shape.count() * ty.dtype.bytes() as usize
}

/// Returns a plan for the prefix that shards samples over all devices and replicates parameters, which requires no
/// communication.
fn data_parallel_plan(plan: &Plan, prefix: &Program) -> Plan {
    let Some(mesh) = plan.mesh.clone().or_else(|| Plan::from_annotations(prefix).ok()?.mesh) else {
        return Plan::default();
    };
    let axes: Vec<String> = mesh.axes.iter().map(|a| a.name.to_string()).collect();
    let inputs = prefix.inputs().iter().filter(|&&v| prefix.param_of(v).is_none());
    inputs.fold(Plan::new(mesh), |plan, &input| {
        let rest = ", _".repeat(prefix.ty(input).shape.rank().saturating_sub(1));
        plan.shard(prefix.path_of(input), format!("{}{rest}", axes.join("+")))
    })
}
