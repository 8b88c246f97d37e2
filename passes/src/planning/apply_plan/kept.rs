//! Values that are kept in one layout and used in another.
//!
//! Such a value is brought into the layout of its use by a `constrain fresh` in front of the first op that reads it.
//! The optimizer's update reads it as it is kept. That the backward pass makes a copy of its own, so that nothing but
//! the kept value lives in between, is for [`crate::planning::remat`]. A value that is made pending a sum is reduced to
//! the layout that it is kept in right where it is made. A loop that hands a value on from turn to turn is given it as
//! it is kept, so that each turn makes copies of its own; a copy that is held is made once, in front of the loop.
//!
//! Before, with `--store "up.weight=data, _"`: `%h = matmul %x, %w1 : f32[32, 512]`
//!
//! After: `%w1.1 = constrain fresh %w1 : f32[64, 512]`, `%h = matmul %x, %w1.1 : f32[32, 512]`

use super::Found;
use crate::driver::provenance::Provenance;
use indexmap::IndexMap;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::class::Control;
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::ops::Constrain;
use partita_ir::origin::Origin;
use partita_ir::program::{Func, Op, Phase, Program, Value, Values};
use rustc_hash::FxHashSet;

/// A value that is kept in another layout than it is used in.
pub struct Kept {
    /// How it is kept.
    store: Found,
    /// How it is used, or made when a sum is pending.
    used: Found,
    /// Whether the copy as it is used is held until its last use.
    held: bool,
}

impl Kept {
    fn is_reduced(&self) -> bool {
        !self.used.layout.pending.is_empty()
    }

    /// Whether each turn of a loop makes copies of its own.
    fn is_for_each_turn(&self) -> bool {
        !self.held && !self.is_reduced()
    }
}

/// Pairs what is kept with how it is used, which is taken out of `found`. What nobody lays out for its use is whole
/// there in every dimension that is split where it is kept.
pub fn find(program: &Program, stores: Vec<Found>, held: &[ValueId], found: &mut Vec<Found>) -> Vec<Kept> {
    let held: FxHashSet<ValueId> = held.iter().copied().collect();
    if stores.is_empty() {
        return Vec::new();
    }
    let all: Vec<Found> = std::mem::take(found);
    let mut uses: IndexMap<ValueId, Found> = all.into_iter().map(|f| (f.value, f)).collect();
    let mut kept = Vec::with_capacity(stores.len());
    for store in stores {
        let used = uses.swap_remove(&store.value).or_else(|| {
            let layout = program.values[store.value].layout.as_deref()?.clone();
            Some(Found { value: store.value, layout, notes: Vec::new() })
        });
        let used = used.unwrap_or_else(|| {
            let open = |at: &DimLayout| DimLayout { open: at.axes.is_empty(), ..DimLayout::default() };
            let dims = store.layout.dims.iter().map(open).collect();
            let layout = Layout { dims, ..Layout::replicated(store.layout.mesh, 0) };
            Found { value: store.value, layout, notes: Vec::new() }
        });
        let held = held.contains(&store.value);
        kept.push(Kept { store, used, held });
    }
    found.extend(uses.into_values());
    kept
}

/// The copies of one value.
#[derive(Clone, Copy, Default)]
struct Copies {
    /// As it is used.
    used: Option<ValueId>,
    /// What was reduced where it was made.
    reduced: Option<ValueId>,
}

/// Lays out what is kept, and makes the copies.
pub fn put(program: &mut Program, kept: Vec<Kept>, provenance: &mut Provenance) {
    let mut names = Namer::of(program);
    let mut copies: IndexMap<ValueId, (Kept, Copies)> =
        kept.into_iter().map(|k| (k.store.value, (k, Copies::default()))).collect();
    hand_on(program, &mut copies);
    for (kept, _) in copies.values() {
        let at = if kept.is_reduced() { &kept.used } else { &kept.store };
        at.clone().put(program, provenance);
    }
    for func in program.laid_out_funcs() {
        copy_within(program, func, &mut names, &mut copies, provenance);
    }
}

/// What bodies of loops call a value that is kept otherwise is kept so as well, callers first.
fn hand_on(program: &Program, copies: &mut IndexMap<ValueId, (Kept, Copies)>) {
    for func in program.laid_out_funcs().into_iter().rev() {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            for (i, arg) in op.args.iter().enumerate() {
                let Some(inner) = handed_on(program, op, i).filter(|inner| !copies.contains_key(inner)) else {
                    continue;
                };
                let Some((kept, _)) = copies.get(arg).filter(|(kept, _)| kept.is_for_each_turn()) else { continue };
                let of_turn = |found: &Found| Found { value: inner, ..found.clone() };
                let inside = Kept { store: of_turn(&kept.store), used: of_turn(&kept.used), held: false };
                copies.insert(inner, (inside, Copies::default()));
            }
        }
    }
}

/// What the body of a loop calls an operand that it hands on as it is.
fn handed_on(program: &Program, op: &Op, operand: usize) -> Option<ValueId> {
    let Control::Loop(l) = op.kind.control()?;
    let Func { inputs, outputs, .. } = &program.funcs[l.body];
    inputs.get(operand).copied().filter(|&inner| outputs.get(operand).is_some_and(|output| output.value == inner))
}

/// Makes the copies that the ops of one function read.
fn copy_within(
    program: &mut Program,
    func: FuncId,
    names: &mut Namer,
    copies: &mut IndexMap<ValueId, (Kept, Copies)>,
    provenance: &mut Provenance,
) {
    let old = program.funcs[func].take_ops();
    let mut body: Vec<OpId> = Vec::with_capacity(old.len() + 2 * copies.len());
    for id in old {
        for i in 0..program.ops[id].args.len() {
            let goes_on = handed_on(program, &program.ops[id], i).is_some();
            let Some((kept, made)) = copies.get_mut(&program.ops[id].args[i]) else { continue };
            let source = made.reduced.unwrap_or(kept.store.value);
            let as_kept =
                kept.is_reduced() || program.ops[id].phase == Phase::Update || (goes_on && kept.is_for_each_turn());
            let read = match made.used {
                _ if as_kept => source,
                Some(copy) => copy,
                None => {
                    let new = copy(program, names, source, (&kept.used, !kept.held), id, provenance);
                    body.push(new.0);
                    *made.used.insert(new.1)
                }
            };
            program.ops[id].args[i] = read;
        }
        body.push(id);
        for out in program.ops[id].outs.clone() {
            if let Some((kept, made)) = copies.get_mut(&out).filter(|(kept, _)| kept.is_reduced()) {
                let new = copy(program, names, out, (&kept.store, true), id, provenance);
                body.push(new.0);
                made.reduced = Some(new.1);
            }
        }
    }
    *program.funcs[func].ops_mut() = body;
    for i in 0..program.funcs[func].outputs.len() {
        let reduced = copies.get(&program.funcs[func].outputs[i].value).and_then(|(_, made)| made.reduced);
        if let Some(reduced) = reduced {
            program.funcs[func].outputs[i].value = reduced;
        }
    }
}

/// A copy of a value in that layout, `fresh` or not, next to an op.
fn copy(
    program: &mut Program,
    names: &mut Namer,
    value: ValueId,
    (at, fresh): (&Found, bool),
    next_to: OpId,
    provenance: &mut Provenance,
) -> (OpId, ValueId) {
    let name = names.fresh(&program.values[value].name.clone());
    let ty = program.ty(value).clone();
    let out = program.values.push(Value::new(name, ty));
    Found { value: out, ..at.clone() }.put(program, provenance);
    let Op { phase, origin, .. } = &program.ops[next_to];
    let (phase, origin): (Phase, Origin) = (*phase, origin.clone());
    let args = Values::from_slice(&[value]);
    let op = Op { kind: Constrain { fresh }.into(), args, outs: Values::from_slice(&[out]), phase, origin };
    (program.ops.push(op), out)
}
