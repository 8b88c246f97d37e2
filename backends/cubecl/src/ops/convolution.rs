//! `convolution`, lowered to one matrix product per feature group. Rows are output positions, columns are output
//! features, and the contracted dimension runs over the taps of the window and the input features of the group.

use super::operands::{LoweredOp, Operand};
use super::windows::tap_element;
use crate::assembler::{Assembler, Value};
use crate::fused::address_map;
use crate::gpu::Lowerer;
use crate::kernels::contract::{self, Contraction};
use crate::kernels::half::Half;
use crate::kernels::steps::{AddressMap, Program, RegClass, Step};
use crate::spec::{KernelSpec, ProductKind};
use partita_ir::arena::OpId;
use partita_ir::ops::Convolution;
use partita_lowering::view::View;

/// Lowers a convolution to one kernel for all groups.
pub(crate) fn convolution(to: &mut Lowerer<'_>, id: OpId, op: &Convolution) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [input, kernel] = &operands[..] else { return None };
    let out = to.program.ty(to.program.ops[id].outs[0]);
    if !out.dtype.is_float() || [input.class, kernel.class] != [RegClass::F32; 2] {
        return None;
    }
    let stored = View::dense(&out.shape);
    let convolved = CanonicalConvolution::new(op, [&input.view, &kernel.view, &stored]);
    let contraction = Contraction {
        m: convolved.positions().count(),
        n: convolved.each,
        k: convolved.items().iter().product(),
        batch: convolved.groups,
        left: contract::ComputedOperand {
            element: convolved.input(input),
            along_depth: convolved.x.strides[1] == 1,
            count: input.view.count(),
            width: to.width(input.dtype),
        },
        right: contract::ComputedOperand {
            element: convolved.kernel(kernel),
            along_depth: convolved.k.strides[1] != 1,
            count: kernel.view.count(),
            width: to.width(kernel.dtype),
        },
        result: convolved.result(),
    };
    let half = to.target().half(out.dtype);
    let store = match half {
        Some(half) => Step::StoreHalf { memory: 0, at: AddressMap::identity(), half, a: 0 },
        None => Step::Store { memory: 0, at: AddressMap::identity(), class: RegClass::F32, a: 0 },
    };
    let epilogue = vec![Step::Reduced { number: 0, half: Half::from_dtype(out.dtype) }, store];
    lowered.kernel(to, KernelSpec::Product { kind: ProductKind::Computed(contraction), reads: 0, writes: 1, epilogue });
    Some(())
}

/// A convolution with canonical dimension order: input and output have batch, features and spatial dimensions; the
/// kernel has input features, output features and taps.
struct CanonicalConvolution<'o> {
    op: &'o Convolution,
    x: View,
    k: View,
    y: View,
    groups: usize,
    /// Output features per group.
    each: usize,
}

impl CanonicalConvolution<'_> {
    fn new<'o>(op: &'o Convolution, [x, k, y]: [&View; 3]) -> CanonicalConvolution<'o> {
        let groups = op.feature_groups.0.max(op.batch_groups.0);
        let [x, y] = [x.permuted(&op.dims.input), y.permuted(&op.dims.output)];
        let k = k.permuted(&op.dims.kernel);
        CanonicalConvolution { op, x, k, groups, each: y.shape[1] / groups, y }
    }

    /// Returns the view of the output positions, without the feature dimension.
    fn positions(&self) -> View {
        let mut positions = self.y.clone();
        positions.shape.remove(1);
        positions.strides.remove(1);
        positions
    }

    /// Returns the sizes of the contracted dimensions: the taps, and the input features of a group.
    fn items(&self) -> Vec<usize> {
        self.k.shape[2..].iter().chain([&self.k.shape[0]]).copied().collect()
    }

    /// Returns the address maps of the output for the group, the position, and the feature within the group.
    fn result(&self) -> [AddressMap; 3] {
        let features = |count: usize, step: usize| View {
            shape: [count][..].into(),
            strides: [self.y.strides[1] * step as isize][..].into(),
            offset: 0,
        };
        [
            address_map(&features(self.groups, self.each)),
            address_map(&self.positions()),
            address_map(&features(self.each, 1)),
        ]
    }

    /// Returns the program that loads an input element for a group, an output position and a contracted index.
    /// Positions in the padding yield zero.
    fn input(&self, input: &Operand) -> Program {
        let mut a = Assembler::default();
        let [group, position, item] = [(); 3].map(|()| a.next_register(RegClass::I32));
        let zero = a.float(0.0);
        if self.x.count() == 0 {
            return a.program(&[zero]);
        }
        let (outputs, items) = (a.indices(position, &self.positions().shape), a.indices(item, &self.items()));
        let (taps, feature) = (&items[..items.len() - 1], items[items.len() - 1]);
        let mut indices = if self.op.batch_groups.0 > 1 {
            vec![a.dot(&[group, outputs[0]], &[self.y.shape[0] as isize, 1], 0), feature]
        } else {
            vec![outputs[0], a.dot(&[group, feature], &[self.k.shape[0] as isize, 1], 0)]
        };
        let mut conditions = Vec::new();
        for (d, window) in self.op.windows.iter().enumerate() {
            let sizes = (self.x.shape[d + 2], self.y.shape[d + 2]);
            let (element, condition) = tap_element(&mut a, window, sizes, outputs[d + 1], taps[d]);
            conditions.extend(condition);
            indices.push(element);
        }
        let number = load(&mut a, input, &self.x, &indices);
        let number = match a.conjunction(conditions) {
            Some(is_one) => a.select(is_one, number, zero),
            None => number,
        };
        a.program(&[number])
    }

    /// Returns the program that loads a weight for a group, a contracted index and an output feature of the group.
    fn kernel(&self, kernel: &Operand) -> Program {
        let mut a = Assembler::default();
        let [group, item, feature] = [(); 3].map(|()| a.next_register(RegClass::I32));
        let items = a.indices(item, &self.items());
        let (taps, input_feature) = (&items[..items.len() - 1], items[items.len() - 1]);
        let mut indices = vec![input_feature, a.dot(&[group, feature], &[self.each as isize, 1], 0)];
        for (d, window) in self.op.windows.iter().enumerate() {
            let last = a.int(window.size - 1);
            indices.push(if self.op.reverse.contains(&d) { a.sub(last, taps[d]) } else { taps[d] });
        }
        let number = load(&mut a, kernel, &self.k, &indices);
        a.program(&[number])
    }
}

/// Loads an element of an operand, given its indices in a view of it.
fn load(a: &mut Assembler, operand: &Operand, view: &View, indices: &[Value]) -> Value {
    let address = a.dot(indices, &view.strides, view.offset);
    operand.load_at(a, address)
}
