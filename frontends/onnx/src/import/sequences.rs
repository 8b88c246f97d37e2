//! Import of sequences and optionals. They exist only during the import: a sequence is a list of values, whose length
//! is known, and an optional is its value or nothing.

use super::branches::graph_of;
use super::fold::evaluate;
use super::graph::Importer;
use super::lowering::{Lowering, LoweringError, Out, dim, malformed, single, size};
use super::scope::Binding;
use crate::proto::NodeProto;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use std::rc::Rc;

/// Returns true for an operation of sequences or optionals.
pub fn is_sequence_op(op: &str) -> bool {
    const OPS: [&str; 11] = [
        "SequenceConstruct",
        "SequenceEmpty",
        "SequenceInsert",
        "SequenceErase",
        "SequenceAt",
        "SequenceLength",
        "ConcatFromSequence",
        "SplitToSequence",
        "Optional",
        "OptionalGetElement",
        "OptionalHasElement",
    ];
    OPS.contains(&op)
}

/// Maximum length of a sequence.
const MAX_LENGTH: usize = 1 << 12;

impl<'m> Importer<'m, '_> {
    /// Imports an operation of sequences or optionals.
    pub(super) fn import_sequence_op(
        &mut self,
        node: &'m NodeProto,
        inputs: &[Option<&'m str>],
    ) -> Result<Vec<Binding>, LoweringError> {
        let mut operands = Vec::new();
        for name in inputs {
            operands.push(name.and_then(|name| self.binding(name)));
        }
        let operand = |i: usize| operands.get(i).cloned().flatten();
        let required = |i: usize| operand(i).ok_or_else(|| LoweringError::Malformed(format!("lacks input {i}")));
        let one = |binding| Ok(vec![binding]);
        match node.op_type.as_str() {
            "SequenceConstruct" => one(Binding::Sequence(
                operands.into_iter().collect::<Option<_>>().ok_or(LoweringError::Malformed("lacks an input".into()))?,
            )),
            "SequenceEmpty" => one(Binding::Sequence(Rc::from([]))),
            "SequenceInsert" => {
                let mut items = items(required(0)?)?;
                let at = match operand(2) {
                    Some(position) => self.position(&position, items.len(), items.len() + 1)?,
                    None => items.len(),
                };
                items.insert(at, required(1)?);
                one(Binding::Sequence(items.into()))
            }
            "SequenceErase" => {
                let mut items = items(required(0)?)?;
                let at = match operand(1) {
                    Some(position) => self.position(&position, items.len(), items.len())?,
                    None if items.is_empty() => return malformed("erases an element of an empty sequence"),
                    None => items.len() - 1,
                };
                items.remove(at);
                one(Binding::Sequence(items.into()))
            }
            "SequenceAt" => {
                let items = items(required(0)?)?;
                let at = self.position(&required(1)?, items.len(), items.len())?;
                one(items[at].clone())
            }
            "SequenceLength" => {
                let length = items(required(0)?)?.len() as i64;
                one(Binding::Constant(Tensor::from_ints(Type::new(DType::I64, []), vec![length])))
            }
            "ConcatFromSequence" => {
                let items = items(required(0)?)?;
                let axis = int(node, "axis", 0);
                match int(node, "new_axis", 0) {
                    0 => one(self.concatenated(&items, axis)?),
                    _ => one(self.stacked(&items, axis)?),
                }
            }
            "SplitToSequence" => one(self.split(node, &required(0)?, operand(1))?),
            "Optional" => one(operand(0).unwrap_or(Binding::Absent)),
            "OptionalGetElement" => match required(0)? {
                Binding::Absent => malformed("reads an optional without a value"),
                value => one(value),
            },
            "OptionalHasElement" => {
                let has = matches!(operand(0), Some(value) if !matches!(value, Binding::Absent));
                one(Binding::Constant(Tensor::from_ints(Type::new(DType::Bool, []), vec![has.into()])))
            }
            // `Identity` of a sequence or optional.
            _ => one(required(0)?),
        }
    }

    /// Imports `SequenceMap`: its graph for each element of a sequence.
    pub(super) fn import_sequence_map(
        &mut self,
        node: &'m NodeProto,
        inputs: &[Option<&'m str>],
    ) -> Result<Vec<Binding>, LoweringError> {
        let graph = graph_of(node, "body")?;
        let mut operands = Vec::new();
        for name in inputs {
            let Some(operand) = name.and_then(|name| self.binding(name)) else { return malformed("lacks an input") };
            operands.push(operand);
        }
        let Some(Binding::Sequence(first)) = operands.first() else { return malformed("needs a sequence") };
        let mut results = vec![Vec::new(); graph.output.len()];
        for i in 0..first.len() {
            let argument = |operand: &Binding| match operand {
                Binding::Sequence(items) => items.get(i).cloned(),
                operand => Some(operand.clone()),
            };
            let Some(args) = operands.iter().map(argument).collect() else {
                return malformed("has sequences of different lengths");
            };
            let outputs = self.inline(node, graph, args)?;
            results.iter_mut().zip(outputs).for_each(|(list, output)| list.push(output));
        }
        Ok(results.into_iter().map(|list| Binding::Sequence(list.into())).collect())
    }

    /// Returns a position in a sequence, which must be constant; a negative one counts from the end. `limit` is the
    /// number of valid positions.
    fn position(&self, position: &Binding, length: usize, limit: usize) -> Result<usize, LoweringError> {
        let number = match (self.constant_of(position), position) {
            (Some(tensor), _) if tensor.ty.shape.count() == 1 => tensor.get(0).to_i64(),
            (None, &Binding::Value(value)) => return Err(LoweringError::NotConstant { operand: "position", value }),
            _ => return malformed("has a position that is not a number"),
        };
        let from_start = if number < 0 { number.saturating_add(length as i64) } else { number };
        match usize::try_from(from_start) {
            Ok(at) if at < limit => Ok(at),
            _ => malformed(format!("has the position {number} in a sequence of length {length}")),
        }
    }

    /// Lowers a split of a tensor to a sequence: parts of the given sizes, or slices.
    fn split(&mut self, node: &NodeProto, x: &Binding, sizes: Option<Binding>) -> Result<Binding, LoweringError> {
        let shape = match x {
            Binding::Value(value) => self.cx.shape(*value),
            Binding::Constant(tensor) => tensor.ty.shape.clone(),
            Binding::Sequence(_) | Binding::Absent | Binding::Failed => {
                return malformed("splits a value that is no tensor");
            }
        };
        let axis = dim(int(node, "axis", 0), shape.rank())?;
        let n = shape[axis];
        let keeps = sizes.is_some() || int(node, "keepdims", 1) != 0;
        let parts = match sizes {
            None => vec![1; n.min(MAX_LENGTH + 1)],
            Some(sizes) => self.part_sizes(&sizes, n)?,
        };
        if parts.len() > MAX_LENGTH {
            return malformed(format!("splits {shape} into more than {MAX_LENGTH} parts"));
        }
        let mut items = Vec::new();
        let mut start = 0;
        for part in parts {
            let end = start + part;
            items.push(self.combined(std::slice::from_ref(x), |cx, values| {
                let part = cx.b.slice_dim(values[0], axis, start, end);
                let mut shape = cx.shape(part);
                if !keeps {
                    shape.0.remove(axis);
                }
                cx.reshape(part, shape)
            })?);
            start = end;
        }
        Ok(Binding::Sequence(items.into()))
    }

    /// Returns the sizes of the parts of a dimension of size `n`: a list, or one size of all parts but the last.
    fn part_sizes(&self, sizes: &Binding, n: usize) -> Result<Vec<usize>, LoweringError> {
        let tensor = match (self.constant_of(sizes), sizes) {
            (Some(tensor), _) => tensor,
            (None, &Binding::Value(value)) => return Err(LoweringError::NotConstant { operand: "split", value }),
            (None, _) => return malformed("has sizes that are no tensor"),
        };
        let sizes = tensor.scalars().map(|x| size(x.to_i64(), "size")).collect::<Result<Vec<_>, _>>()?;
        match sizes[..] {
            [part] if tensor.ty.shape.rank() == 0 => match n.checked_div(part).map(|full| (full, n % part)) {
                None => malformed("splits into parts of size 0"),
                Some((full, _)) if full > MAX_LENGTH => malformed(format!("splits into more than {MAX_LENGTH} parts")),
                Some((full, rest)) => {
                    let last = (rest > 0).then_some(rest);
                    Ok(std::iter::repeat_n(part, full).chain(last).collect())
                }
            },
            _ if sizes.iter().sum::<usize>() == n => Ok(sizes),
            _ => malformed(format!("splits {n} elements into parts of {sizes:?}")),
        }
    }

    /// Concatenates the elements of a sequence along a dimension.
    fn concatenated(&mut self, items: &[Binding], axis: i64) -> Result<Binding, LoweringError> {
        self.combined(items, |cx, values| {
            let axis = dim(axis, cx.rank(values[0]))?;
            cx.concat(values, axis)
        })
    }

    /// Stacks tensors along a new dimension.
    pub(super) fn stacked(&mut self, items: &[Binding], axis: i64) -> Result<Binding, LoweringError> {
        self.combined(items, |cx, values| {
            let axis = dim(axis, cx.rank(values[0]) + 1)?;
            let values: Vec<ValueId> = values.iter().map(|&value| cx.b.unsqueeze(value, axis)).collect();
            cx.concat(&values, axis)
        })
    }

    /// Lowers ops on tensors, or evaluates them if all tensors are constant. Errors: there are none, one is not a
    /// tensor, or those of `lower`.
    fn combined(
        &mut self,
        items: &[Binding],
        lower: impl Fn(&mut Lowering<'_>, &[ValueId]) -> Result<ValueId, LoweringError>,
    ) -> Result<Binding, LoweringError> {
        if items.is_empty() {
            return malformed("concatenates an empty sequence");
        }
        let known: Option<Vec<&Tensor>> = items.iter().map(|item| self.constant_of(item)).collect();
        let mut budget = self.fold_budget;
        if let Some(known) = known
            && let Some(outs) = evaluate(&known, &mut budget, |cx, values| single(lower(cx, values)?))?
            && let Some(Out::Constant(tensor)) = outs.into_iter().next()
        {
            self.fold_budget = budget;
            return Ok(Binding::Constant(tensor));
        }
        let values: Option<Vec<ValueId>> = items.iter().map(|item| self.value_of(item)).collect();
        let Some(values) = values else { return malformed("has an element that is not a tensor") };
        lower(&mut self.cx, &values).map(Binding::Value)
    }
}

/// Returns the elements of a sequence.
fn items(binding: Binding) -> Result<Vec<Binding>, LoweringError> {
    match binding {
        Binding::Sequence(items) => Ok(items.to_vec()),
        Binding::Value(_) | Binding::Constant(_) | Binding::Absent | Binding::Failed => malformed("needs a sequence"),
    }
}

/// Returns an integer attribute.
fn int(node: &NodeProto, name: &str, default: i64) -> i64 {
    node.attribute.iter().find(|a| a.name == name).map_or(default, |a| a.i.unwrap_or(0))
}
