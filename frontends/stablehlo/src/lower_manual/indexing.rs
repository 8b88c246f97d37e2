//! Batching of operations with indices.

use super::batch::shifted_ints;
use super::{ManualLowering, ints};
use crate::fault::Result;
use crate::syntax::{Attr, Attrs, Entry, Local, Op, Opcode, Region};
use partita_ir::dtype::{Shape, Type};

impl<'m, 'a> ManualLowering<'m, 'a> {
    /// Emits a gather: the dimension of devices is a batch dimension of operand and indices.
    pub(super) fn gather(&mut self, op: &'m Op<'a>) -> Result<()> {
        let mut attrs = op.attrs.clone();
        batch_dims(
            &mut attrs,
            "dimension_numbers",
            &["offset_dims", "collapsed_slice_dims", "start_index_map"],
            &["operand_batching_dims", "start_indices_batching_dims"],
        );
        for (name, attr) in &mut attrs {
            if *name == "slice_sizes" {
                *attr = Attr::Ints(std::iter::once(1).chain(attr.as_ints().unwrap_or_default()).collect());
            }
        }
        let operands = [self.batched(op.operands[0])?, self.batched(op.operands[1])?];
        self.push_batched(op, &operands, attrs)
    }

    /// Emits a scatter: the dimension of devices is a batch dimension of operands, indices and updates.
    pub(super) fn scatter(&mut self, op: &'m Op<'a>) -> Result<()> {
        let mut attrs = op.attrs.clone();
        batch_dims(
            &mut attrs,
            "scatter_dimension_numbers",
            &["update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"],
            &["input_batching_dims", "scatter_indices_batching_dims"],
        );
        let operands = op.operands.iter().map(|&x| self.batched(x)).collect::<Result<Vec<_>>>()?;
        self.push_batched(op, &operands, attrs)
    }

    /// Emits a dynamic slice. Starts that differ between devices make it a gather of one slice for each device.
    pub(super) fn dynamic_slice(&mut self, op: &'m Op<'a>) -> Result<()> {
        let operand = self.batched(op.operands[0])?;
        let sizes = op.ints("slice_sizes")?.unwrap_or_default();
        if let Some(starts) = self.common_starts(op, 1)? {
            let sizes = std::iter::once(self.device_count(self.varying) as i64).chain(sizes);
            let operands: Vec<Local> = std::iter::once(operand).chain(starts).collect();
            return self.push_batched(op, &operands, [ints("slice_sizes", sizes)].into_iter().collect());
        }
        let rank = op.operands.len() as i64 - 1;
        let indices = self.start_vectors(op, 1)?;
        let numbers = vec![
            ints("offset_dims", 1..=rank),
            ints("operand_batching_dims", [0]),
            ints("start_indices_batching_dims", [0]),
            ints("start_index_map", 1..=rank),
            ("index_vector_dim", Attr::Int(1)),
        ];
        let attrs: Attrs<'a> =
            [("dimension_numbers", Attr::Dict(numbers)), ints("slice_sizes", std::iter::once(1).chain(sizes))]
                .into_iter()
                .collect();
        let ty = self.batched_type(&op.types[0], self.varying);
        let value = self.out.emit(Opcode::Gather, &[operand, indices], ty, attrs);
        self.result(op, value, self.varying)
    }

    /// Emits an update of a slice. Starts that differ between devices make it a scatter, with starts moved into range.
    pub(super) fn dynamic_update_slice(&mut self, op: &'m Op<'a>) -> Result<()> {
        let (operand, update) = (self.batched(op.operands[0])?, self.batched(op.operands[1])?);
        if let Some(starts) = self.common_starts(op, 2)? {
            let operands: Vec<Local> = [operand, update].into_iter().chain(starts).collect();
            return self.push_batched(op, &operands, op.attrs.clone());
        }
        let indices = self.start_vectors(op, 2)?;
        let indices = self.in_range(indices, operand, update);
        let rank = op.operands.len() as i64 - 2;
        let numbers = vec![
            ints("update_window_dims", 1..=rank),
            ints("input_batching_dims", [0]),
            ints("scatter_indices_batching_dims", [0]),
            ints("scatter_dims_to_operand_dims", 1..=rank),
            ("index_vector_dim", Attr::Int(1)),
        ];
        let attrs = [("scatter_dimension_numbers", Attr::Dict(numbers))].into_iter().collect();
        let ty = self.batched_type(&op.types[0], self.varying);
        let scalar = Type { shape: Shape::scalar(), dtype: ty.dtype };
        let value = self.out.emit(Opcode::Scatter, &[operand, indices, update], ty, attrs);
        let region = self.second_argument(&scalar);
        if let Some(scatter) = self.out.ops.last_mut() {
            scatter.regions = vec![region];
        }
        self.result(op, value, self.varying)
    }

    /// Returns the starts of a slice and 0 for the dimension of devices, if they are the same on all devices.
    fn common_starts(&mut self, op: &Op<'a>, first: usize) -> Result<Option<Vec<Local>>> {
        let lowered = op.operands[first..].iter().map(|&x| self.lowered(x)).collect::<Result<Vec<_>>>()?;
        let (false, Some(some)) = (lowered.iter().any(|x| !x.varying.is_empty()), lowered.first()) else {
            return Ok(None);
        };
        let zero = self.out.number(0.0, some.value);
        Ok(Some(std::iter::once(zero).chain(lowered.iter().map(|x| x.value)).collect()))
    }

    /// Returns the starts of a slice for each device as vectors: `[devices, rank]`.
    fn start_vectors(&mut self, op: &Op<'a>, first: usize) -> Result<Local> {
        let devices = self.device_count(self.varying);
        let mut columns = Vec::new();
        for &start in &op.operands[first..] {
            let value = self.batched(start)?;
            columns.push(self.reshaped(value, &Shape::from(&[devices, 1][..])));
        }
        let dtype = self.out.ty(columns[0]).dtype;
        let ty = Type::new(dtype, [devices, columns.len()]);
        let attrs = [("dimension", Attr::Int(1))].into_iter().collect();
        Ok(self.out.emit(Opcode::Concatenate, &columns, ty, attrs))
    }

    /// Clamps starts such that slices of the size of `update` are within `operand`.
    fn in_range(&mut self, starts: Local, operand: Local, update: Local) -> Local {
        use partita_ir::ops::Literal;
        use partita_ir::tensor::Scalar;
        let (whole, part) = (self.out.ty(operand).shape, self.out.ty(update).shape);
        let last = whole[1..].iter().zip(&part[1..]).map(|(n, size)| Scalar::Int(n.saturating_sub(*size) as i64));
        let ty = self.out.ty(starts);
        let row = Type::new(ty.dtype, [ty.shape[1]]);
        let last = self.out.literal(Literal::Dense(last.collect()), row);
        let attrs = [ints("broadcast_dimensions", [1])].into_iter().collect();
        let last = self.out.emit(Opcode::BroadcastInDim, &[last], ty, attrs);
        let zero = self.out.number(0.0, starts);
        let above = self.out.elementwise(Opcode::Maximum, &[starts, zero]);
        self.out.elementwise(Opcode::Minimum, &[above, last])
    }

    /// Builds the region of a scatter that replaces elements.
    fn second_argument(&mut self, scalar: &Type) -> Region<'a> {
        let mut region = self.out.binary_region(Opcode::Add, scalar);
        let second = region.args[1].value;
        region.ops.remove(0);
        if let Some(end) = region.ops.first_mut() {
            end.operands = [second].into_iter().collect();
        }
        region
    }
}

/// Adds a batch dimension 0 to the dimension numbers of a gather or scatter.
fn batch_dims<'a>(attrs: &mut Attrs<'a>, name: &str, moved: &[&str], batching: &[&'static str]) {
    for (_, attr) in attrs.iter_mut().filter(|(key, _)| *key == name) {
        let Attr::Dict(entries) = attr else { continue };
        let find = |entries: &mut Vec<Entry<'a>>, key: &str| entries.iter().position(|(name, _)| *name == key);
        for key in moved {
            if let Some(at) = find(entries, key) {
                entries[at].1 = Attr::Ints(shifted_ints(&entries[at].1, false));
            }
        }
        for &key in batching {
            match find(entries, key) {
                Some(at) => entries[at].1 = Attr::Ints(shifted_ints(&entries[at].1, true)),
                None => entries.push(ints(key, [0])),
            }
        }
        match find(entries, "index_vector_dim") {
            Some(at) => entries[at].1 = Attr::Int(entries[at].1.as_int().unwrap_or(0) + 1),
            None => entries.push(("index_vector_dim", Attr::Int(1))),
        }
    }
}
