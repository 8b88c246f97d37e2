//! `convolution`: for each group a product of matrices. A row is the place of an output, a column its feature; what is
//! summed are the taps of the window and the input features of the group.

use super::operands::{Lowered, Operand};
use super::windows::tapped;
use crate::assembler::{Assembler, Value};
use crate::fused::at;
use crate::gpu::Lowerer;
use crate::kernels::contract::{self, Contraction};
use crate::kernels::half::Half;
use crate::kernels::steps::{At, Lane, Program, Step};
use crate::spec::{Factors, Spec};
use partita_ir::arena::OpId;
use partita_ir::ops::Convolution;
use partita_lowering::view::View;

/// One kernel for all of them.
pub(crate) fn convolution(to: &mut Lowerer<'_>, id: OpId, op: &Convolution) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let [input, kernel] = &operands[..] else { return None };
    let out = to.program.ty(to.program.ops[id].outs[0]);
    if !out.dtype.is_float() || [input.lane, kernel.lane] != [Lane::F32; 2] {
        return None;
    }
    let stored = View::dense(&out.shape);
    let convolved = Convolved::of(op, [&input.view, &kernel.view, &stored]);
    let contraction = Contraction {
        m: convolved.places().count(),
        n: convolved.each,
        k: convolved.items().iter().product(),
        batch: convolved.groups,
        left: contract::Operand {
            element: convolved.input(input),
            along_depth: convolved.x.strides[1] == 1,
            count: input.view.count(),
            width: to.width(input.dtype),
        },
        right: contract::Operand {
            element: convolved.kernel(kernel),
            along_depth: convolved.k.strides[1] != 1,
            count: kernel.view.count(),
            width: to.width(kernel.dtype),
        },
        result: convolved.result(),
    };
    let half = to.target().half(out.dtype);
    let store = match half {
        Some(half) => Step::StoreHalf { memory: 0, at: At::dense(), half, a: 0 },
        None => Step::Store { memory: 0, at: At::dense(), lane: Lane::F32, a: 0 },
    };
    let epilogue = vec![Step::Reduced { number: 0, half: Half::of(out.dtype) }, store];
    lowered.kernel(to, Spec::Product { of: Factors::Computed(contraction), reads: 0, writes: 1, epilogue });
    Some(())
}

/// A convolution with its dimensions in the order batch, features, space; the kernel's are input features, output
/// features, taps.
struct Convolved<'o> {
    op: &'o Convolution,
    x: View,
    k: View,
    y: View,
    groups: usize,
    /// Output features of a group.
    each: usize,
}

impl Convolved<'_> {
    fn of<'o>(op: &'o Convolution, [x, k, y]: [&View; 3]) -> Convolved<'o> {
        let groups = op.feature_groups.0.max(op.batch_groups.0);
        let [x, y] = [x.permuted(&op.dims.input), y.permuted(&op.dims.output)];
        let k = k.permuted(&op.dims.kernel);
        Convolved { op, x, k, groups, each: y.shape[1] / groups, y }
    }

    /// The places of outputs, whatever their feature.
    fn places(&self) -> View {
        let mut places = self.y.clone();
        places.shape.remove(1);
        places.strides.remove(1);
        places
    }

    /// What is summed: taps, and input features of a group.
    fn items(&self) -> Vec<usize> {
        self.k.shape[2..].iter().chain([&self.k.shape[0]]).copied().collect()
    }

    /// Where an output is, by its group, its place and its feature in the group.
    fn result(&self) -> [At; 3] {
        let features = |count: usize, step: usize| View {
            shape: [count][..].into(),
            strides: [self.y.strides[1] * step as isize][..].into(),
            offset: 0,
        };
        [at(&features(self.groups, self.each)), at(&self.places()), at(&features(self.each, 1))]
    }

    /// By group, place of the output, and item: the element of the input that is read, or zero beyond it.
    fn input(&self, input: &Operand) -> Program {
        let mut a = Assembler::default();
        let [group, place, item] = [(); 3].map(|()| a.given(Lane::I32));
        let zero = a.float(0.0);
        if self.x.count() == 0 {
            return a.program(&[zero]);
        }
        let (outputs, items) = (a.indices(place, &self.places().shape), a.indices(item, &self.items()));
        let (taps, feature) = (&items[..items.len() - 1], items[items.len() - 1]);
        let mut indices = if self.op.batch_groups.0 > 1 {
            vec![a.dot(&[group, outputs[0]], &[self.y.shape[0] as isize, 1], 0), feature]
        } else {
            vec![outputs[0], a.dot(&[group, feature], &[self.k.shape[0] as isize, 1], 0)]
        };
        let mut conditions = Vec::new();
        for (d, window) in self.op.windows.iter().enumerate() {
            let sizes = (self.x.shape[d + 2], self.y.shape[d + 2]);
            let (element, condition) = tapped(&mut a, window, sizes, outputs[d + 1], taps[d]);
            conditions.extend(condition);
            indices.push(element);
        }
        let number = load(&mut a, input, &self.x, &indices);
        let number = match a.all(conditions) {
            Some(is_one) => a.select(is_one, number, zero),
            None => number,
        };
        a.program(&[number])
    }

    /// By group, item, and feature of the output in its group: the weight.
    fn kernel(&self, kernel: &Operand) -> Program {
        let mut a = Assembler::default();
        let [group, item, feature] = [(); 3].map(|()| a.given(Lane::I32));
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

/// An element of an operand, by its indices in a view of it.
fn load(a: &mut Assembler, operand: &Operand, view: &View, indices: &[Value]) -> Value {
    let place = a.dot(indices, &view.strides, view.offset);
    operand.load_at(a, place)
}
