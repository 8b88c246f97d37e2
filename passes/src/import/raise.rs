//! `raise`: replaces decompositions by composite ops. Requires and produces `Form::Traced`.
//!
//! Recognises softmax, log-softmax, layer, RMS and batch norm, gelu, cross-entropy and attention as JAX and its
//! libraries decompose them. Each becomes one op, with data movement around it if its dimensions are in another order.
//! Gathers and scatters at positions in a dimension, as in `x[arange(n), i]`, become gathers and scatters along a batch
//! dimension.
//! A match is rejected if an intermediate value has another reader, so that nothing is computed twice (common in the
//! backward pass of a training step), or if the program or the plan assigns it a layout. One pass over the ops; each
//! match inspects a bounded number of predecessors.
//!
//! Before:
//!
//! ```text
//! %m = reduce max [1] %x : f32[8]
//! %s = broadcast [0] %m : f32[8, 64]
//! %d = sub %x, %s : f32[8, 64]
//! %e = exp %d : f32[8, 64]
//! %t = reduce sum [1] %e : f32[8]
//! %u = broadcast [0] %t : f32[8, 64]
//! %y = div %e, %u : f32[8, 64]
//! output %y
//! ```
//!
//! After:
//!
//! ```text
//! input %x : f32[8, 64]
//! %y = softmax dim 1 %x : f32[8, 64]
//! output %y
//! ```

mod attention;
mod batched;
mod composites;
mod gelu;
mod label;
mod loss;
mod mask;
mod norm;
mod numbers;
mod pattern;
mod softmax;

pub use self::composites::CompositeKind;
use self::composites::{Body, Composite, patterns};
use self::numbers::{number, numbers};
use self::pattern::{Match, ValueAnalysis};
use crate::driver::{Findings, Input, Pass, PassInfo};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::Diagnostic;
use partita_ir::plan::{Plan, path};
use partita_ir::program::{Form, Op, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// The pass `raise`; see the module documentation.
pub struct Raise;

impl Pass for Raise {
    fn info(&self) -> PassInfo {
        PassInfo { name: "raise", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn run(&self, program: &mut Program, input: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        raise(program, &input.plan);
        Ok(())
    }
}

/// Raises the composites of a program and returns their kinds.
pub fn raise(program: &mut Program, plan: &Plan) -> Vec<CompositeKind> {
    let has_layout = values_with_layout(program, plan);
    let funcs = program.funcs_with_layouts();
    funcs.into_iter().flat_map(|func| Raiser::new(program, func, has_layout.clone()).run(func)).collect()
}

/// For each value, true if the program or the plan assigns it a layout, name or storage.
pub(super) fn values_with_layout(program: &Program, plan: &Plan) -> Vec<bool> {
    let paths =
        plan.shards.iter().chain(&plan.stores).chain(&plan.names).map(|entry| &entry.path).chain(&plan.allow_reshard);
    let patterns: Vec<path::Pattern<'_>> = paths.map(|written| path::Pattern::new(&written.text)).collect();
    let is_named = |name: &str| patterns.iter().any(|pattern| pattern.matches_value(name));
    program.values.values().map(|value| value.layout.is_some() || is_named(&value.name)).collect()
}

/// Raises composites in one function.
struct Raiser<'a> {
    program: &'a mut Program,
    names: Option<Namer>,
    /// For each value: the op that defines it if the value is read, the number of its uses as operand or function
    /// result, the number it is filled with, and whether it has a layout.
    def: Vec<Option<OpId>>,
    uses: Vec<u32>,
    numbers: Vec<Option<Scalar>>,
    has_layout: Vec<bool>,
    /// Ops that were replaced by a composite, and ops without readers.
    removed: Vec<bool>,
}

impl<'a> Raiser<'a> {
    fn new(program: &'a mut Program, func: FuncId, has_layout: Vec<bool>) -> Raiser<'a> {
        let mut uses = vec![0; program.values.len()];
        let mut def = vec![None; program.values.len()];
        let mut removed = vec![false; program.ops.len()];
        program.funcs[func].outputs.iter().for_each(|o| uses[o.value.index()] += 1);
        for &id in program.funcs[func].ops().iter().rev() {
            let op = &program.ops[id];
            if op.outs.iter().any(|out| uses[out.index()] > 0) {
                op.outs.iter().for_each(|out| def[out.index()] = Some(id));
                op.args.iter().for_each(|arg| uses[arg.index()] += 1);
            } else {
                removed[id.index()] = true;
            }
        }
        let numbers = numbers(program, func, &has_layout);
        Raiser { program, names: None, def, uses, numbers, has_layout, removed }
    }

    fn run(mut self, func: FuncId) -> Vec<CompositeKind> {
        let mut raised = Vec::new();
        let old = self.program.funcs[func].take_ops();
        let mut body = Vec::with_capacity(old.len());
        for root in old {
            for &pattern in patterns(&self.program.ops[root].kind) {
                if let Some(composite) = self.find(root, pattern) {
                    self.replace(root, composite, &mut body);
                    raised.push(pattern);
                    break;
                }
            }
            body.push(root);
        }
        body.retain(|op| !self.removed[op.index()]);
        *self.program.funcs[func].ops_mut() = body;
        raised
    }

    /// Matches the composite that ends in `root`. Returns the composite and the ops it replaces.
    fn find(&self, root: OpId, pattern: CompositeKind) -> Option<(Composite, Vec<OpId>)> {
        let &[out] = &self.program.ops[root].outs[..] else { return None };
        let Raiser { program, def, uses, numbers, has_layout, .. } = self;
        let analysis = ValueAnalysis { program, def, uses, numbers, has_layout };
        let mut m = Match::new(&analysis, out);
        let composite = pattern.find(&mut m)?;
        let mut consumed = m.consumed;
        consumed.sort_unstable();
        consumed.dedup();
        (self.have_no_other_reader(&consumed, root) && self.remain_defined(&composite.args, &consumed))
            .then_some((composite, consumed))
    }

    /// Replaces the matched ops by the composite. Ops that precede it are appended to `body`.
    fn replace(&mut self, root: OpId, (composite, consumed): (Composite, Vec<OpId>), body: &mut Vec<OpId>) {
        for &id in &consumed {
            self.program.ops[id].args.iter().for_each(|arg| self.uses[arg.index()] -= 1);
            self.removed[id.index()] = id != root;
        }
        let (kind, args) = match composite.body {
            Body::One(kind) => (*kind, composite.args),
            Body::Several(build) => {
                let Op { phase, origin, .. } = self.program.ops[root].clone();
                let names = self.names.get_or_insert_with(|| Namer::from_program(self.program));
                let mut b = Builder::new(self.program, names);
                (b.phase, b.origin) = (phase, origin);
                build(&mut b);
                let mut ops = b.body;
                let Some(last) = ops.pop() else { return };
                self.analyse(&ops);
                body.extend(ops);
                let last = &self.program.ops[last];
                (last.kind.clone(), last.args.clone())
            }
        };
        args.iter().for_each(|arg| self.uses[arg.index()] += 1);
        let op = &mut self.program.ops[root];
        (op.kind, op.args) = (kind, args);
    }

    /// Records the analysis of new ops.
    fn analyse(&mut self, ops: &[OpId]) {
        let values = self.program.values.len();
        self.def.resize(values, None);
        self.uses.resize(values, 0);
        self.numbers.resize(values, None);
        self.has_layout.resize(values, false);
        self.removed.resize(self.program.ops.len(), false);
        for &id in ops {
            let op = &self.program.ops[id];
            op.outs.iter().for_each(|out| self.def[out.index()] = Some(id));
            op.args.iter().for_each(|arg| self.uses[arg.index()] += 1);
            if let &[out] = &op.outs[..] {
                self.numbers[out.index()] = number(self.program, op, &self.numbers);
            }
        }
    }

    /// Returns true if the results of `ops`, except those of `root`, are read only by `ops`.
    fn have_no_other_reader(&self, ops: &[OpId], root: OpId) -> bool {
        let mut read: FxHashMap<ValueId, u32> = FxHashMap::default();
        for &id in ops {
            self.program.ops[id].args.iter().for_each(|&arg| *read.entry(arg).or_default() += 1);
        }
        let outs = ops.iter().filter(|&&id| id != root).flat_map(|&id| &self.program.ops[id].outs);
        outs.into_iter().all(|out| read.get(out) == Some(&self.uses[out.index()]))
    }

    /// Returns true if no operand of the composite is defined by a removed op.
    fn remain_defined(&self, args: &[ValueId], removed: &[OpId]) -> bool {
        let mut outs = removed.iter().flat_map(|&id| &self.program.ops[id].outs);
        !outs.any(|out| args.contains(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimising::dce::Dce;
    use partita_ir::diag::Source;
    use partita_ir::dtype::{DType, Type};
    use partita_ir::interp::{random_inputs, run};
    use partita_ir::op::OpKind;
    use partita_ir::ops::{Attention, BatchNorm, CrossEntropy, Gelu, LayerNorm, LogSoftmax, RmsNorm, Softmax};
    use partita_ir::tensor::Tensor;
    use partita_ir::text::parse;

    /// Returns the decomposition of a composite, and a program with the composite only.
    fn decomposed(kind: &OpKind, inputs: &[Type], out: &Type) -> (Program, Program) {
        let program = |decompose: bool| {
            let mut program = Program::default();
            let args: Vec<ValueId> = inputs.iter().map(|ty| program.input("x", ty.clone())).collect();
            let (main, mut names) = (program.entry(), Namer::from_program(&program));
            let mut b = Builder::new(&mut program, &mut names);
            let parts = if decompose { kind.decompose(&mut b, &args, &[out]) } else { None };
            let result = parts.map_or_else(|| b.op("y", kind.clone(), &args, out.clone()), |parts| parts[0]);
            b.finish(main);
            program.output("out0", result);
            program
        };
        (program(true), program(false))
    }

    #[test]
    fn undoes_decompositions() {
        let ty = |shape: &[usize]| Type::new(DType::F32, shape);
        let (x, n) = (ty(&[2, 3, 4]), ty(&[4]));
        let (q, k, v) = (ty(&[2, 3, 4]), ty(&[2, 5, 4]), ty(&[2, 5, 4]));
        let (labels, mask) = (Type::new(DType::I32, [2, 3]), Type::new(DType::Bool, [3, 5]));
        let cases: [(OpKind, Vec<Type>); 13] = [
            (Softmax { dim: 2 }.into(), vec![x.clone()]),
            (Softmax { dim: 0 }.into(), vec![x.clone()]),
            (LogSoftmax { dim: 1 }.into(), vec![x.clone()]),
            (LayerNorm { eps: 0.5 }.into(), vec![x.clone(), n.clone(), n.clone()]),
            (LayerNorm { eps: 1e-5 }.into(), vec![x.clone(), n.clone()]),
            (RmsNorm { eps: 1e-5 }.into(), vec![x.clone(), n.clone()]),
            (BatchNorm { dim: 2, eps: 0.5 }.into(), vec![x.clone(), n.clone(), n.clone(), n.clone(), n]),
            (Gelu { tanh: true, ..Gelu::default() }.into(), vec![x.clone()]),
            (Gelu::default().into(), vec![x.clone()]),
            (CrossEntropy {}.into(), vec![x.clone(), labels]),
            (Attention::new(false, 0.5).into(), vec![q.clone(), k.clone(), v.clone()]),
            (Attention::new(true, 0.5).into(), vec![q.clone(), k.clone(), v.clone()]),
            (Attention::new(true, 1.0).into(), vec![q, k, v, mask]),
        ];
        for (kind, inputs) in cases {
            let out = if matches!(kind, OpKind::CrossEntropy(_)) { ty(&[2, 3]) } else { x.clone() };
            let (mut decomposed_program, composite_program) = decomposed(&kind, &inputs, &out);
            Raise.run(&mut decomposed_program, &Input::default(), &mut Findings::default()).unwrap();
            Dce(Form::Traced).run(&mut decomposed_program, &Input::default(), &mut Findings::default()).unwrap();
            let left: Vec<&OpKind> = decomposed_program.funcs[decomposed_program.entry()]
                .ops()
                .iter()
                .map(|&op| &decomposed_program.ops[op].kind)
                .collect();
            assert_eq!(left, [&kind]);
            assert_eq!(
                decomposed_program.ops[decomposed_program.funcs[decomposed_program.entry()].ops()[0]].args.len(),
                inputs.len()
            );
            let inputs = random_inputs(&composite_program, 7);
            assert_eq!(run(&decomposed_program, inputs.clone().unwrap()), run(&composite_program, inputs.unwrap()));
        }
    }

    /// Compares programs of the goldens before and after, also with labels that are out of range.
    #[test]
    fn results_are_unchanged() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/filetests/raise");
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let (_, text) = text.split_once('\n').unwrap();
            let before = parse(&Source::new(path.to_string_lossy(), text)).unwrap();
            let mut after = before.clone();
            Raise.run(&mut after, &Input::default(), &mut Findings::default()).unwrap();
            for seed in 0..3 {
                let mut inputs = random_inputs(&before, seed).unwrap();
                for label in inputs.iter_mut().filter(|x| seed == 2 && x.ty.dtype.is_int()) {
                    let outside = label.scalars().map(|x| 3 * x.to_i64() - 6).collect();
                    *label = Tensor::from_ints(label.ty.clone(), outside);
                }
                let (want, have) = (run(&before, inputs.clone()).unwrap(), run(&after, inputs).unwrap());
                for (want, have) in want.iter().zip(&have) {
                    let near = |(w, h): (Scalar, Scalar)| {
                        let (w, h) = (w.to_f64(), h.to_f64());
                        w == h || w.is_nan() && h.is_nan() || (w - h).abs() <= 1e-4 * w.abs().max(1.0)
                    };
                    assert!(want.scalars().zip(have.scalars()).all(near), "{}: {want:?} {have:?}", path.display());
                }
            }
        }
    }

    #[test]
    fn values_with_layouts_are_unchanged() {
        let text = "form traced\ninput %x : f32[4]\n  %m = reduce max [0] %x : f32[]\n  %s = broadcast [] %m : f32[4]\n  \
            %d = sub %x, %s : f32[4]\n  %e = exp %d : f32[4]\n  %t = reduce sum [0] %e : f32[]\n  \
            %u = broadcast [] %t : f32[4]\n  %y = div %e, %u : f32[4]\noutput %y\n";
        let raised = |path: &str| {
            let mut program = parse(&Source::new("text", text)).unwrap();
            let plan = Plan::default().shard(path, "data");
            Raise.run(&mut program, &Input::with_plan(plan), &mut Findings::default()).unwrap();
            program.funcs[program.entry()].ops().len() == 1
        };
        assert!(raised("%x"));
        assert!(raised("%y"));
        assert!(!raised("%e"));
    }
}
