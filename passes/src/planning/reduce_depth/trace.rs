//! View of a traced program as a sequence of ops: positions of definitions and uses, and one symbol for each op and
//! input, which is equal for ops that differ in their operands only.

use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::class::SourceOp;
use partita_ir::op::OpKind;
use partita_ir::ops::Literal;
use partita_ir::program::{Program, Value};
use partita_ir::syntax::attr::AttrNames;
use rustc_hash::FxHashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Definition of a value of the entry function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Definition {
    /// Input of the entry function.
    Input,
    /// Result `result` of the op at `position`.
    Op { position: usize, result: usize },
}

/// Ops of the entry function as a sequence.
pub(super) struct Trace<'p> {
    pub(super) program: &'p Program,
    /// Ops of the entry function.
    pub(super) ops: &'p [OpId],
    /// Symbol of each op.
    pub(super) symbols: Vec<u64>,
    /// Symbol of each input, by value id; 0 for other values.
    pub(super) input_symbols: Vec<u64>,
    /// Definition of each value of the entry function, by value id.
    definitions: Vec<Option<Definition>>,
    /// Positions of the uses of each value, by value id.
    uses: Vec<Vec<usize>>,
    /// Value of the parameter that each parameter belongs to, by value id.
    parents: Vec<Option<ValueId>>,
}

impl<'p> Trace<'p> {
    pub(super) fn new(program: &'p Program) -> Trace<'p> {
        // entry only: layers inside a loop body are executed once per iteration, and a scan over layers is compact
        let ops = program.funcs[program.entry()].ops();
        let mut definitions = vec![None; program.values.len()];
        let mut uses = vec![Vec::new(); program.values.len()];
        program.inputs().iter().for_each(|input| definitions[input.index()] = Some(Definition::Input));
        for (position, &op) in ops.iter().enumerate() {
            let op = &program.ops[op];
            op.args.iter().for_each(|arg| uses[arg.index()].push(position));
            for (result, out) in op.outs.iter().enumerate() {
                definitions[out.index()] = Some(Definition::Op { position, result });
            }
        }
        let mut parents = vec![None; program.values.len()];
        for param in program.params.values() {
            parents[param.value.index()] = param.parent.map(|parent| program.params[parent].value);
        }
        let symbolizer = Symbolizer::new(program);
        let symbols = ops.iter().map(|&op| symbolizer.op(op)).collect();
        let input_symbols = symbolizer.inputs();
        Trace { program, ops, symbols, input_symbols, definitions, uses, parents }
    }

    /// Returns the definition of a value. `None` for a value of another function.
    pub(super) fn definition(&self, value: ValueId) -> Option<Definition> {
        self.definitions[value.index()]
    }

    /// Returns the position of the op that defines a value. `None` for inputs.
    pub(super) fn position(&self, value: ValueId) -> Option<usize> {
        match self.definition(value)? {
            Definition::Op { position, .. } => Some(position),
            Definition::Input => None,
        }
    }

    /// Returns the positions of the ops that read a value, in ascending order.
    pub(super) fn uses(&self, value: ValueId) -> &[usize] {
        &self.uses[value.index()]
    }

    /// Returns the operands of the op at a position.
    pub(super) fn args(&self, position: usize) -> &'p [ValueId] {
        &self.program.ops[self.ops[position]].args
    }

    /// Returns the results of the op at a position.
    pub(super) fn outs(&self, position: usize) -> &'p [ValueId] {
        &self.program.ops[self.ops[position]].outs
    }

    /// Returns the value of the parameter that `value` is state or a scale of.
    pub(super) fn parent(&self, value: ValueId) -> &Option<ValueId> {
        &self.parents[value.index()]
    }
}

/// Computes symbols: hashes of everything but names, operands and origins.
struct Symbolizer<'p> {
    program: &'p Program,
    /// Symbol of each function.
    funcs: Vec<u64>,
}

impl<'p> Symbolizer<'p> {
    fn new(program: &'p Program) -> Symbolizer<'p> {
        let mut symbolizer = Symbolizer { program, funcs: vec![0; program.funcs.len()] };
        for func in program.callees_first().into_iter().filter(|&func| func != program.entry()) {
            symbolizer.funcs[func.index()] = symbolizer.func(func);
        }
        symbolizer
    }

    /// Returns the symbol of an op. Numbers of a dense constant do not count: like those of a parameter, they may
    /// differ from layer to layer.
    fn op(&self, id: OpId) -> u64 {
        let op = &self.program.ops[id];
        let mut hasher = DefaultHasher::new();
        (op.kind.text_name(), op.phase, op.outs.len()).hash(&mut hasher);
        if !is_dense(&op.kind) {
            self.hash_attributes(&op.kind, &mut hasher);
        }
        self.program.arg_types(op).hash(&mut hasher);
        op.outs.iter().for_each(|&out| hash_value(&self.program.values[out], &mut hasher));
        hasher.finish()
    }

    /// Returns the symbols of all inputs, by value id.
    fn inputs(&self) -> Vec<u64> {
        let program = self.program;
        let mut symbols = vec![0; program.values.len()];
        for &input in program.inputs() {
            let mut hasher = DefaultHasher::new();
            hash_value(&program.values[input], &mut hasher);
            symbols[input.index()] = hasher.finish();
        }
        for param in program.params.values() {
            let mut hasher = DefaultHasher::new();
            (symbols[param.value.index()], param.kind, param.parent.is_some()).hash(&mut hasher);
            param.init.map(|init| init.to_string()).hash(&mut hasher);
            symbols[param.value.index()] = hasher.finish();
        }
        symbols
    }

    /// Returns the symbol of a function, with values numbered by their definition. Unlike for ops of the entry
    /// function, the numbers of dense constants count.
    fn func(&self, id: FuncId) -> u64 {
        let func = &self.program.funcs[id];
        let ops = || func.ops().iter().map(|&op| &self.program.ops[op]);
        let defined = func.inputs.iter().chain(ops().flat_map(|op| &op.outs)).enumerate();
        let numbers: FxHashMap<ValueId, usize> = defined.map(|(number, &value)| (value, number)).collect();
        let mut hasher = DefaultHasher::new();
        func.inputs.iter().for_each(|&input| hash_value(&self.program.values[input], &mut hasher));
        for op in ops() {
            (op.kind.text_name(), op.phase, op.outs.len()).hash(&mut hasher);
            self.hash_attributes(&op.kind, &mut hasher);
            op.args.iter().for_each(|arg| numbers.get(arg).hash(&mut hasher));
            op.outs.iter().for_each(|&out| hash_value(&self.program.values[out], &mut hasher));
        }
        func.outputs.iter().for_each(|output| numbers.get(&output.value).hash(&mut hasher));
        hasher.finish()
    }

    /// Hashes the attributes of an op. Functions are represented by their symbols.
    fn hash_attributes(&self, kind: &OpKind, hasher: &mut DefaultHasher) {
        let name = |func: FuncId| self.funcs[func.index()].to_string();
        let names = AttrNames { mesh: None, func: &name, find_func: &|_| None };
        let mut text = String::new();
        kind.write(&mut text, &names);
        text.hash(hasher);
    }
}

/// Hashes everything but the name of a value.
fn hash_value(value: &Value, hasher: &mut DefaultHasher) {
    (&value.ty, &value.layout, value.space, value.donated).hash(hasher);
}

/// Returns true for a constant with listed numbers.
fn is_dense(kind: &OpKind) -> bool {
    match kind.source() {
        Some(SourceOp::Constant(constant)) => matches!(constant.value, Literal::Dense(_)),
        Some(SourceOp::Iota(_)) | None => false,
    }
}
