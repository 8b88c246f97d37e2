//! `raise`: recognises composites that a frontend had decomposed. Needs traced, gives traced.
//!
//! Softmax, log-softmax, layer, RMS and batch norm, gelu, cross-entropy and attention, as JAX and its libraries write
//! them, become one op each, with movement around it where its dimensions are in another order. Only where nothing else
//! reads what is in between, so that nothing is computed twice (a training step's backward pass often does), and where
//! neither the program nor the plan lays out a value in between. One pass over the ops; each looks at a few ops before
//! it.
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
mod composites;
mod gelu;
mod label;
mod loss;
mod norm;
mod numbers;
mod pattern;
mod seen;
mod softmax;

pub use self::composites::Raised;
use self::composites::{Body, Composite, patterns};
use self::numbers::{number, numbers};
use self::pattern::{Known, Match};
use crate::driver::{Findings, Info, Input, Pass};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::Diagnostic;
use partita_ir::plan::{Plan, path};
use partita_ir::program::{Form, Op, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// See the head of this file.
pub struct Raise;

impl Pass for Raise {
    fn info(&self) -> Info {
        Info { name: "raise", needs: Form::Traced, gives: Form::Traced, reads: &[] }
    }

    fn run(&self, program: &mut Program, input: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        raise(program, &input.plan);
        Ok(())
    }
}

/// Raises what is found in a program, and says what that was.
pub fn raise(program: &mut Program, plan: &Plan) -> Vec<Raised> {
    let placed = placed(program, plan);
    let funcs = program.laid_out_funcs();
    funcs.into_iter().flat_map(|func| Raiser::new(program, func, placed.clone()).run(func)).collect()
}

/// The values that the program or the plan lays out, by id.
pub(super) fn placed(program: &Program, plan: &Plan) -> Vec<bool> {
    let paths =
        plan.shards.iter().chain(&plan.stores).chain(&plan.names).map(|entry| &entry.path).chain(&plan.allow_reshard);
    let names: Vec<&str> =
        paths.filter_map(|written| path::Pattern::new(&written.text).text.strip_prefix('%')).collect();
    program.values.values().map(|value| value.layout.is_some() || names.contains(&value.name.as_str())).collect()
}

/// Raises the ops of one function.
struct Raiser<'a> {
    program: &'a mut Program,
    names: Option<Namer>,
    /// What is known of each value, by id: the op that gives it if it is read, how many operands and results of the
    /// function it is, the number that fills it, and whether the user placed it.
    def: Vec<Option<OpId>>,
    uses: Vec<u32>,
    numbers: Vec<Option<Scalar>>,
    placed: Vec<bool>,
    /// Ops that a composite took the place of, and those whose results nothing reads.
    gone: Vec<bool>,
}

impl<'a> Raiser<'a> {
    fn new(program: &'a mut Program, func: FuncId, placed: Vec<bool>) -> Raiser<'a> {
        let mut uses = vec![0; program.values.len()];
        let mut def = vec![None; program.values.len()];
        let mut gone = vec![false; program.ops.len()];
        program.funcs[func].outputs.iter().for_each(|o| uses[o.value.index()] += 1);
        for &id in program.funcs[func].ops().iter().rev() {
            let op = &program.ops[id];
            if op.outs.iter().any(|out| uses[out.index()] > 0) {
                op.outs.iter().for_each(|out| def[out.index()] = Some(id));
                op.args.iter().for_each(|arg| uses[arg.index()] += 1);
            } else {
                gone[id.index()] = true;
            }
        }
        let numbers = numbers(program, func, &placed);
        Raiser { program, names: None, def, uses, numbers, placed, gone }
    }

    fn run(mut self, func: FuncId) -> Vec<Raised> {
        let mut raised = Vec::new();
        let old = self.program.funcs[func].take_ops();
        let mut body = Vec::with_capacity(old.len());
        for root in old {
            for &pattern in patterns(&self.program.ops[root].kind) {
                if let Some(composite) = self.find(root, pattern) {
                    self.put(root, composite, &mut body);
                    raised.push(pattern);
                    break;
                }
            }
            body.push(root);
        }
        body.retain(|op| !self.gone[op.index()]);
        *self.program.funcs[func].ops_mut() = body;
        raised
    }

    /// What the op is the end of, and the ops that go.
    fn find(&self, root: OpId, pattern: Raised) -> Option<(Composite, Vec<OpId>)> {
        let &[out] = &self.program.ops[root].outs[..] else { return None };
        let Raiser { program, def, uses, numbers, placed, .. } = self;
        let known = Known { program, def, uses, numbers, placed };
        let mut m = Match::new(&known, out);
        let composite = pattern.find(&mut m)?;
        let mut seen = m.seen;
        seen.sort_unstable();
        seen.dedup();
        (self.are_alone(&seen, root) && self.stay(&composite.args, &seen)).then_some((composite, seen))
    }

    /// Puts a composite in the place of those ops; what it needs before comes into the body.
    fn put(&mut self, root: OpId, (composite, seen): (Composite, Vec<OpId>), body: &mut Vec<OpId>) {
        for &id in &seen {
            self.program.ops[id].args.iter().for_each(|arg| self.uses[arg.index()] -= 1);
            self.gone[id.index()] = id != root;
        }
        let (kind, args) = match composite.body {
            Body::One(kind) => (*kind, composite.args),
            Body::Several(build) => {
                let Op { phase, origin, .. } = self.program.ops[root].clone();
                let names = self.names.get_or_insert_with(|| Namer::of(self.program));
                let mut b = Builder::new(self.program, names);
                (b.phase, b.origin) = (phase, origin);
                build(&mut b);
                let mut ops = b.body;
                let Some(last) = ops.pop() else { return };
                self.know(&ops);
                body.extend(ops);
                let last = &self.program.ops[last];
                (last.kind.clone(), last.args.clone())
            }
        };
        args.iter().for_each(|arg| self.uses[arg.index()] += 1);
        let op = &mut self.program.ops[root];
        (op.kind, op.args) = (kind, args);
    }

    /// Learns about new ops.
    fn know(&mut self, ops: &[OpId]) {
        let values = self.program.values.len();
        self.def.resize(values, None);
        self.uses.resize(values, 0);
        self.numbers.resize(values, None);
        self.placed.resize(values, false);
        self.gone.resize(self.program.ops.len(), false);
        for &id in ops {
            let op = &self.program.ops[id];
            op.outs.iter().for_each(|out| self.def[out.index()] = Some(id));
            op.args.iter().for_each(|arg| self.uses[arg.index()] += 1);
            if let &[out] = &op.outs[..] {
                self.numbers[out.index()] = number(self.program, op, &self.numbers);
            }
        }
    }

    /// Whether what the ops give, except for the last one, is read by themselves only.
    fn are_alone(&self, ops: &[OpId], root: OpId) -> bool {
        let mut read: FxHashMap<ValueId, u32> = FxHashMap::default();
        for &id in ops {
            self.program.ops[id].args.iter().for_each(|&arg| *read.entry(arg).or_default() += 1);
        }
        let outs = ops.iter().filter(|&&id| id != root).flat_map(|&id| &self.program.ops[id].outs);
        outs.into_iter().all(|out| read.get(out) == Some(&self.uses[out.index()]))
    }

    /// Whether operands of the composite are there when the ops are gone.
    fn stay(&self, args: &[ValueId], gone: &[OpId]) -> bool {
        let mut outs = gone.iter().flat_map(|&id| &self.program.ops[id].outs);
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

    /// A composite's decomposition, and the program with nothing but the composite.
    fn decomposed(kind: &OpKind, inputs: &[Type], out: &Type) -> (Program, Program) {
        let program = |take_apart: bool| {
            let mut program = Program::default();
            let args: Vec<ValueId> = inputs.iter().map(|ty| program.input("x", ty.clone())).collect();
            let (main, mut names) = (program.entry(), Namer::of(&program));
            let mut b = Builder::new(&mut program, &mut names);
            let parts = if take_apart { kind.decompose(&mut b, &args, &[out]) } else { None };
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
            (Attention { causal: false, scale: 0.5 }.into(), vec![q.clone(), k.clone(), v.clone()]),
            (Attention { causal: true, scale: 0.5 }.into(), vec![q.clone(), k.clone(), v.clone()]),
            (Attention { causal: true, scale: 1.0 }.into(), vec![q, k, v, mask]),
        ];
        for (kind, inputs) in cases {
            let out = if matches!(kind, OpKind::CrossEntropy(_)) { ty(&[2, 3]) } else { x.clone() };
            let (mut apart, whole) = decomposed(&kind, &inputs, &out);
            Raise.run(&mut apart, &Input::default(), &mut Findings::default()).unwrap();
            Dce(Form::Traced).run(&mut apart, &Input::default(), &mut Findings::default()).unwrap();
            let left: Vec<&OpKind> = apart.funcs[apart.entry()].ops().iter().map(|&op| &apart.ops[op].kind).collect();
            assert_eq!(left, [&kind]);
            assert_eq!(apart.ops[apart.funcs[apart.entry()].ops()[0]].args.len(), inputs.len());
            let inputs = random_inputs(&whole, 7);
            assert_eq!(run(&apart, inputs.clone().unwrap()), run(&whole, inputs.unwrap()));
        }
    }

    /// Every program of the goldens, whether something of it is raised or not; the last time with labels out of range.
    #[test]
    fn keeps_what_programs_compute() {
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
    fn leaves_what_the_plan_places() {
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
