//! Import of `Scan`: a loop over the elements of sequences.

use super::branches::graph_of;
use super::graph::Importer;
use super::loops::sequence_type;
use super::lowering::{LoweringError, dim, malformed, unsupported};
use super::scope::Binding;
use crate::proto::{GraphProto, NodeProto};
use partita_ir::arena::ValueId;
use partita_ir::build::{LoopBody, Trip};
use partita_ir::dtype::DType;
use partita_ir::ops::BinaryOp;
use partita_ir::tensor::Scalar;

/// A sequence that a scan reads or writes.
#[derive(Clone, Copy, Debug)]
struct Track {
    /// The dimension of the elements; a negative number counts from the end.
    axis: i64,
    reverse: bool,
}

/// A `Scan` node.
struct ScanNode<'m> {
    node: &'m NodeProto,
    graph: &'m GraphProto,
    inputs: Vec<Track>,
    outputs: Vec<Track>,
}

/// The values of a scan, or its results.
struct ScanValues {
    state: Vec<ValueId>,
    sequences: Vec<ValueId>,
}

impl<'m> Importer<'m, '_> {
    pub(super) fn import_scan(
        &mut self,
        node: &'m NodeProto,
        inputs: &[Option<&'m str>],
    ) -> Result<Vec<Binding>, LoweringError> {
        let graph = graph_of(node, "body")?;
        // Up to opset 8 the sequences have a batch dimension, and their lengths may be an operand.
        let batched = self.opset < 9;
        let operands = if batched { inputs.get(1..).unwrap_or(&[]) } else { inputs };
        if batched && inputs.first().is_some_and(Option::is_some) {
            return unsupported("lengths of the sequences");
        }
        let count = ints(node, "num_scan_inputs").first().and_then(|&n| usize::try_from(n).ok()).unwrap_or(0);
        let Some(states) = operands.len().checked_sub(count).filter(|_| count > 0) else {
            return malformed(format!("scans {count} of {} inputs", operands.len()));
        };
        let Some(results) = graph.output.len().checked_sub(states) else {
            return malformed(format!("has a body with {} results for {states} values", graph.output.len()));
        };
        let directions = if batched { "directions" } else { "scan_input_directions" };
        let scan = ScanNode {
            node,
            graph,
            inputs: tracks(node, "scan_input_axes", directions, count)?,
            outputs: tracks(node, "scan_output_axes", "scan_output_directions", results)?,
        };
        let mut values = Vec::new();
        for name in operands {
            let Some(value) = name.and_then(|name| self.value(name)) else { return malformed("lacks an input") };
            values.push(value);
        }
        let sequences = values.split_off(states);
        let values = ScanValues { state: values, sequences };
        let results = if batched { self.batched_scan(&scan, values)? } else { self.scan(&scan, values)? };
        Ok(results.state.into_iter().chain(results.sequences).map(Binding::Value).collect())
    }

    /// Appends a scan of each element of a batch, the first dimension of all values.
    fn batched_scan(&mut self, scan: &ScanNode<'m>, values: ScanValues) -> Result<ScanValues, LoweringError> {
        let all: Vec<ValueId> = values.state.iter().chain(&values.sequences).copied().collect();
        let batch = self.common_size(all.iter().map(|&value| (value, 0)))?;
        let zero = self.cx.b.scalar(DType::I32, Scalar::Int(0));
        let mut body = LoopBody::begin(&mut self.cx.b, "batch");
        let counter = body.carry(&mut self.cx.b, zero);
        let inputs: Vec<ValueId> = all.iter().map(|&value| body.carry(&mut self.cx.b, value)).collect();
        let (body, results) = self.in_body(scan.node, scan.graph, body, |importer| {
            let elements = inputs.iter().map(|&input| importer.cx.b.element_at(input, 0, counter));
            let mut state = elements.collect::<Vec<_>>();
            let sequences = state.split_off(values.state.len());
            importer.scan(scan, ScanValues { state, sequences })
        })?;
        let states = results.state.len();
        let stacks = [results.state, results.sequences].concat();
        let tracks = vec![Track { axis: 0, reverse: false }; stacks.len()];
        let mut state = self.finish_scan(body, batch, counter, &[], (&stacks, &tracks))?.sequences;
        let sequences = state.split_off(states);
        Ok(ScanValues { state, sequences })
    }

    /// Appends a scan.
    fn scan(&mut self, scan: &ScanNode<'m>, values: ScanValues) -> Result<ScanValues, LoweringError> {
        let mut axes = Vec::new();
        for (&sequence, track) in values.sequences.iter().zip(&scan.inputs) {
            axes.push(dim(track.axis, self.cx.rank(sequence))?);
        }
        let steps = self.common_size(values.sequences.iter().copied().zip(axes.iter().copied()))?;
        let zero = self.cx.b.scalar(DType::I32, Scalar::Int(0));
        let mut body = LoopBody::begin(&mut self.cx.b, "scan");
        let counter = body.carry(&mut self.cx.b, zero);
        let state: Vec<ValueId> = values.state.iter().map(|&value| body.carry(&mut self.cx.b, value)).collect();
        let sequences: Vec<ValueId> = values.sequences.iter().map(|&value| body.carry(&mut self.cx.b, value)).collect();
        let (body, results) = self.in_body(scan.node, scan.graph, body, |importer| {
            let mut args: Vec<Binding> = state.iter().copied().map(Binding::Value).collect();
            for ((&sequence, &axis), track) in sequences.iter().zip(&axes).zip(&scan.inputs) {
                let place = importer.cx.b.scan_index(counter, steps, track.reverse);
                args.push(Binding::Value(importer.cx.b.element_at(sequence, axis, place)));
            }
            let results = importer.import_graph(args)?;
            let values = results.iter().map(|result| importer.value_of(result)).collect::<Option<Vec<_>>>();
            values.ok_or_else(|| LoweringError::Malformed("has a result that is not a tensor".into()))
        })?;
        let (next, collected) = results.split_at(state.len());
        let next: Vec<_> = state.iter().copied().zip(next.iter().copied()).collect();
        self.finish_scan(body, steps, counter, &next, (collected, &scan.outputs))
    }

    /// Appends the updates of the collected results to a body and ends the loop. `next` has the inputs of the body for
    /// the state, with their next values.
    fn finish_scan(
        &mut self,
        mut body: LoopBody,
        steps: usize,
        counter: ValueId,
        next: &[(ValueId, ValueId)],
        (collected, tracks): (&[ValueId], &[Track]),
    ) -> Result<ScanValues, LoweringError> {
        let mut updates = vec![(counter, self.cx.b.binary_scalar(BinaryOp::Add, counter, 1.0))];
        updates.extend(next);
        let mut buffers = Vec::new();
        for (&result, track) in collected.iter().zip(tracks) {
            match self.collect(&mut body, steps, counter, result, *track) {
                Ok((buffer, update)) => {
                    buffers.push(buffer);
                    updates.push((buffer, update));
                }
                Err(error) => {
                    body.abandon(&mut self.cx.b);
                    return Err(error);
                }
            }
        }
        let results = body.finish(&mut self.cx.b, Trip::Counted(steps as u64), &updates)?;
        Ok(ScanValues {
            state: next.iter().map(|&(input, _)| results.of_input(input)).collect(),
            sequences: buffers.into_iter().map(|input| results.of_input(input)).collect(),
        })
    }

    /// Appends the update of the sequence that collects a result. Returns the input of the body for the sequence, and
    /// the updated sequence.
    fn collect(
        &mut self,
        body: &mut LoopBody,
        steps: usize,
        counter: ValueId,
        result: ValueId,
        track: Track,
    ) -> Result<(ValueId, ValueId), LoweringError> {
        let ty = self.cx.b.ty(result);
        let axis = dim(track.axis, ty.shape.rank() + 1)?;
        let ty = sequence_type(&ty, steps as i64, axis)?;
        let zeros = body.outside(&mut self.cx.b, |b| b.splat(ty, Scalar::Int(0)));
        let buffer = body.carry(&mut self.cx.b, zeros);
        let place = self.cx.b.scan_index(counter, steps, track.reverse);
        Ok((buffer, self.cx.b.with_element_at(buffer, axis, place, result)))
    }

    /// Returns the size of values along dimensions, which must be the same.
    fn common_size(&self, mut values: impl Iterator<Item = (ValueId, usize)>) -> Result<usize, LoweringError> {
        let size = |(value, axis): (ValueId, usize)| self.cx.shape(value).get(axis).copied();
        let first = values.next().and_then(size);
        match first {
            Some(0) => unsupported("sequences without elements"),
            Some(steps) if values.all(|value| size(value) == Some(steps)) => Ok(steps),
            _ => malformed("has sequences of different lengths"),
        }
    }
}

/// Returns an attribute with integers, or with one integer.
fn ints(node: &NodeProto, name: &str) -> Vec<i64> {
    let attribute = node.attribute.iter().find(|a| a.name == name);
    attribute.map(|a| if a.ints.is_empty() { vec![a.i.unwrap_or(0)] } else { a.ints.clone() }).unwrap_or_default()
}

/// Returns the sequences that a scan reads or writes.
fn tracks(node: &NodeProto, axes: &str, directions: &str, count: usize) -> Result<Vec<Track>, LoweringError> {
    let list = |name: &str| {
        let found = node.attribute.iter().find(|a| a.name == name);
        match found.map(|a| &a.ints[..]) {
            None | Some([]) => Ok(vec![0; count]),
            Some(list) if list.len() == count => Ok(list.to_vec()),
            Some(list) => malformed(format!("has {} `{name}` for {count} sequences", list.len())),
        }
    };
    let (axes, directions) = (list(axes)?, list(directions)?);
    Ok(axes.into_iter().zip(directions).map(|(axis, direction)| Track { axis, reverse: direction != 0 }).collect())
}
