//! `raise`: recognises composites that a frontend had decomposed. Needs traced, gives traced.
//!
//! Softmax, log-softmax, layer norm, gelu and cross-entropy, as JAX writes them, become one op each. Only where nothing else
//! reads what is in between, so that nothing is computed twice (a training step's backward pass often does), and where the
//! user gave no value in between a layout. One pass over the ops; each looks at a few ops before it.
//!
//! ```text
//! %m = reduce max [1] %x : f32[8]
//! %s = broadcast [0] %m : f32[8, 64]
//! %d = sub %x, %s : f32[8, 64]
//! %e = exp %d : f32[8, 64]                     ->  %y = softmax dim 1 %x : f32[8, 64]
//! %t = reduce sum [1] %e : f32[8]
//! %u = broadcast [0] %t : f32[8, 64]
//! %y = div %e, %u : f32[8, 64]
//! ```

mod composites;
mod pattern;

use self::composites::{Pattern, patterns};
use self::pattern::Match;
use crate::pass::{Cx, Info, Pass};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program, Values};
use rustc_hash::FxHashMap;

/// See the head of this file.
pub struct Raise;

impl Pass for Raise {
    fn info(&self) -> Info {
        Info { name: "raise", needs: Form::Traced, gives: Form::Traced }
    }

    fn run(&self, program: &mut Program, _: &mut Cx) -> Result<(), Vec<Diagnostic>> {
        for func in program.laid_out_funcs() {
            Raiser::new(program, func).run(func);
        }
        Ok(())
    }
}

/// Raises the ops of one function.
struct Raiser<'a> {
    program: &'a mut Program,
    /// The op that gives each value that is read, by id.
    def: Vec<Option<OpId>>,
    /// How many operands and results of the function each value is.
    uses: Vec<u32>,
    /// Ops that a composite took the place of, and those whose results nothing reads.
    gone: Vec<bool>,
}

impl<'a> Raiser<'a> {
    fn new(program: &'a mut Program, func: FuncId) -> Raiser<'a> {
        let mut uses = vec![0; program.values.len()];
        let mut def = vec![None; program.values.len()];
        let mut gone = vec![false; program.ops.len()];
        program.funcs[func].outputs.iter().for_each(|o| uses[o.value.index()] += 1);
        for &id in program.funcs[func].body.iter().rev() {
            let op = &program.ops[id];
            if op.outs.iter().any(|out| uses[out.index()] > 0) {
                op.outs.iter().for_each(|out| def[out.index()] = Some(id));
                op.args.iter().for_each(|arg| uses[arg.index()] += 1);
            } else {
                gone[id.index()] = true;
            }
        }
        Raiser { program, def, uses, gone }
    }

    fn run(mut self, func: FuncId) {
        let mut body = std::mem::take(&mut self.program.funcs[func].body);
        for &root in &body {
            for pattern in patterns(&self.program.ops[root].kind) {
                if self.raise(root, pattern) {
                    break;
                }
            }
        }
        body.retain(|op| !self.gone[op.index()]);
        self.program.funcs[func].body = body;
    }

    /// Whether the pattern matched at the op, which is then the composite.
    fn raise(&mut self, root: OpId, pattern: &Pattern) -> bool {
        let &[out] = &self.program.ops[root].outs[..] else { return false };
        let rank = self.program.ty(out).shape.rank() + pattern.more_dims;
        let mut m = Match::new(self.program, &self.def, rank);
        let term = m.term(out);
        let Some((kind, args)) = (pattern.matches)(&mut m, term) else { return false };
        let mut seen = m.seen;
        seen.sort_unstable();
        seen.dedup();
        let args: Values = args.iter().map(|term| term.value).collect();
        if !self.are_alone(&seen, root) || !self.stay(&args, &seen) {
            return false;
        }
        for &id in &seen {
            self.program.ops[id].args.iter().for_each(|arg| self.uses[arg.index()] -= 1);
            self.gone[id.index()] = id != root;
        }
        args.iter().for_each(|arg| self.uses[arg.index()] += 1);
        let op = &mut self.program.ops[root];
        (op.kind, op.args) = (kind, args);
        true
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
    use partita_ir::build::{Builder, Namer};
    use partita_ir::dtype::{DType, Type};
    use partita_ir::interp::{random_inputs, run};
    use partita_ir::op::OpKind;
    use partita_ir::ops::{CrossEntropy, Gelu, LayerNorm, LogSoftmax, Softmax};

    /// A composite's decomposition, and the program with nothing but the composite.
    fn decomposed(kind: &OpKind, inputs: &[Type], out: &Type) -> (Program, Program) {
        let program = |take_apart: bool| {
            let mut program = Program::default();
            let args: Vec<ValueId> = inputs.iter().map(|ty| program.input("x", ty.clone())).collect();
            let (main, mut names) = (program.main, Namer::of(&program));
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
        let (x, n, labels) = (ty(&[2, 3, 4]), ty(&[4]), Type::new(DType::I32, [2, 3]));
        let cases: [(OpKind, Vec<Type>); 7] = [
            (Softmax { dim: 2 }.into(), vec![x.clone()]),
            (Softmax { dim: 0 }.into(), vec![x.clone()]),
            (LogSoftmax { dim: 1 }.into(), vec![x.clone()]),
            (LayerNorm { eps: 0.5 }.into(), vec![x.clone(), n.clone(), n.clone()]),
            (LayerNorm { eps: 1e-5 }.into(), vec![x.clone(), n]),
            (Gelu { tanh: true }.into(), vec![x.clone()]),
            (Gelu { tanh: false }.into(), vec![x.clone()]),
        ];
        for (kind, inputs) in cases {
            let (mut apart, whole) = decomposed(&kind, &inputs, &x);
            Raise.run(&mut apart, &mut Cx::default()).unwrap();
            let left: Vec<&OpKind> = apart
                .main()
                .body
                .iter()
                .map(|&op| &apart.ops[op].kind)
                .filter(|kind| !matches!(kind, OpKind::Constant(_)))
                .collect();
            assert_eq!(left, [&kind]);
            assert_eq!(apart.ops[apart.main().body[apart.main().body.len() - 1]].args.len(), inputs.len());
            let inputs = random_inputs(&whole, 7);
            assert_eq!(run(&apart, inputs.clone().unwrap()), run(&whole, inputs.unwrap()));
        }
        // One that is written with a gather stays.
        let (mut apart, _) = decomposed(&CrossEntropy {}.into(), &[x, labels], &ty(&[2, 3]));
        let before = apart.clone();
        Raise.run(&mut apart, &mut Cx::default()).unwrap();
        assert_eq!(apart, before);
    }
}
