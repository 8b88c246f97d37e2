//! Values that are stored in one layout and used in another, such as sharded parameters of ZeRO-3.
//!
//! A `constrain fresh` before the first reader converts such a value to its use layout. The optimizer update reads the
//! stored value. [`crate::planning::remat`] creates a separate copy for the backward pass, so that only the stored
//! value is live in between. A partial value is reduced to its storage layout immediately after its op. A loop that
//! passes a stored value through unchanged carries it in its storage layout, so that each iteration creates its own
//! copies; a copy that is held is created once, before the loop.
//!
//! Before, with `--store "up.weight=data, _"`: `%h = matmul %x, %w1 : f32[32, 512]`
//!
//! After: `%w1.1 = constrain fresh %w1 : f32[64, 512]`, `%h = matmul %x, %w1.1 : f32[32, 512]`

use super::AssignedLayout;
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

/// A value with a storage layout other than its use layout.
pub struct StoredValue {
    /// Storage layout.
    store: AssignedLayout,
    /// Layout in which the value is used; if that is partial, the layout that its op produces.
    used: AssignedLayout,
    /// True if the copy in the use layout is held until its last use.
    held: bool,
}

impl StoredValue {
    fn is_reduced(&self) -> bool {
        !self.used.layout.partial.is_empty()
    }

    /// Returns true if each iteration of a loop creates its own copies.
    fn is_copied_per_iteration(&self) -> bool {
        !self.held && !self.is_reduced()
    }
}

/// Pairs storage layouts with use layouts, which are removed from `found`. Without a use layout, dimensions that are
/// sharded in storage are replicated in use.
pub fn pair_layouts(
    program: &Program,
    stores: Vec<AssignedLayout>,
    held: &[ValueId],
    found: &mut Vec<AssignedLayout>,
) -> Vec<StoredValue> {
    let held: FxHashSet<ValueId> = held.iter().copied().collect();
    if stores.is_empty() {
        return Vec::new();
    }
    let all: Vec<AssignedLayout> = std::mem::take(found);
    let mut uses: IndexMap<ValueId, AssignedLayout> = all.into_iter().map(|f| (f.value, f)).collect();
    let mut stored = Vec::with_capacity(stores.len());
    for store in stores {
        let used = uses.swap_remove(&store.value).or_else(|| {
            let layout = program.values[store.value].layout.as_deref()?.clone();
            Some(AssignedLayout { value: store.value, layout, notes: Vec::new() })
        });
        let used = used.unwrap_or_else(|| {
            let open = |at: &DimLayout| DimLayout { open: at.axes.is_empty(), ..DimLayout::default() };
            let dims = store.layout.dims.iter().map(open).collect();
            let layout = Layout { dims, ..Layout::replicated(store.layout.mesh, 0) };
            AssignedLayout { value: store.value, layout, notes: Vec::new() }
        });
        let held = held.contains(&store.value);
        stored.push(StoredValue { store, used, held });
    }
    found.extend(uses.into_values());
    stored
}

/// Copies of one value.
#[derive(Clone, Copy, Default)]
struct ValueCopies {
    /// Copy in the use layout, and its op.
    used: Option<(OpId, ValueId)>,
    /// Copy of a partial value, reduced to its storage layout.
    reduced: Option<ValueId>,
}

/// Assigns the storage layouts and inserts the copies. Returns the partial values that have a copy in their storage
/// layout, with that copy.
pub fn insert_copies(
    program: &mut Program,
    stored: Vec<StoredValue>,
    provenance: &mut Provenance,
) -> Vec<(ValueId, ValueId)> {
    let mut names = Namer::from_program(program);
    let mut copies: IndexMap<ValueId, (StoredValue, ValueCopies)> =
        stored.into_iter().map(|k| (k.store.value, (k, ValueCopies::default()))).collect();
    extend_to_loop_bodies(program, &mut copies);
    for (stored, _) in copies.values() {
        let at = if stored.is_reduced() { &stored.used } else { &stored.store };
        at.clone().assign(program, provenance);
    }
    for func in program.funcs_with_layouts() {
        insert_copies_in(program, func, &mut names, &mut copies, provenance);
    }
    copies.into_iter().filter_map(|(value, (_, made))| Some((value, made.reduced?))).collect()
}

/// Extends storage layouts to the loop-invariant inputs of loop bodies, callers first.
fn extend_to_loop_bodies(program: &Program, copies: &mut IndexMap<ValueId, (StoredValue, ValueCopies)>) {
    for func in program.funcs_with_layouts().into_iter().rev() {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            for (i, arg) in op.args.iter().enumerate() {
                let Some(inner) = invariant_input(program, op, i).filter(|inner| !copies.contains_key(inner)) else {
                    continue;
                };
                let Some((stored, _)) = copies.get(arg).filter(|(stored, _)| stored.is_copied_per_iteration()) else {
                    continue;
                };
                let for_body = |found: &AssignedLayout| AssignedLayout { value: inner, ..found.clone() };
                let inside = StoredValue { store: for_body(&stored.store), used: for_body(&stored.used), held: false };
                copies.insert(inner, (inside, ValueCopies::default()));
            }
        }
    }
}

/// Returns the body input of an operand that a loop passes through unchanged.
fn invariant_input(program: &Program, op: &Op, operand: usize) -> Option<ValueId> {
    let Control::Loop(l) = op.kind.control()?;
    let Func { inputs, outputs, .. } = &program.funcs[l.body];
    inputs.get(operand).copied().filter(|&inner| outputs.get(operand).is_some_and(|output| output.value == inner))
}

/// Inserts the copies that the ops of one function read.
fn insert_copies_in(
    program: &mut Program,
    func: FuncId,
    names: &mut Namer,
    copies: &mut IndexMap<ValueId, (StoredValue, ValueCopies)>,
    provenance: &mut Provenance,
) {
    let old = program.funcs[func].take_ops();
    let mut body: Vec<OpId> = Vec::with_capacity(old.len() + 2 * copies.len());
    for id in old {
        for i in 0..program.ops[id].args.len() {
            let is_invariant = invariant_input(program, &program.ops[id], i).is_some();
            let Some((stored, made)) = copies.get_mut(&program.ops[id].args[i]) else { continue };
            let source = made.reduced.unwrap_or(stored.store.value);
            let reads_stored = stored.is_reduced()
                || program.ops[id].phase == Phase::Update
                || (is_invariant && stored.is_copied_per_iteration());
            let read = match made.used {
                _ if reads_stored => source,
                Some((copy, value)) => {
                    // Ops of several phases may be in any order, and read the same copy.
                    program.ops[copy].phase = program.ops[copy].phase.min(program.ops[id].phase);
                    value
                }
                None => {
                    let new = create_copy(program, names, source, (&stored.used, !stored.held), id, provenance);
                    body.push(new.0);
                    made.used.insert(new).1
                }
            };
            program.ops[id].args[i] = read;
        }
        body.push(id);
        for out in program.ops[id].outs.clone() {
            if let Some((stored, made)) = copies.get_mut(&out).filter(|(stored, _)| stored.is_reduced()) {
                let new = create_copy(program, names, out, (&stored.store, true), id, provenance);
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

/// Creates a copy of a value in a layout, `fresh` or not, with the phase and origin of `next_to`.
fn create_copy(
    program: &mut Program,
    names: &mut Namer,
    value: ValueId,
    (at, fresh): (&AssignedLayout, bool),
    next_to: OpId,
    provenance: &mut Provenance,
) -> (OpId, ValueId) {
    let name = names.fresh(&program.values[value].name.clone());
    let ty = program.ty(value).clone();
    let out = program.values.push(Value::new(name, ty));
    AssignedLayout { value: out, ..at.clone() }.assign(program, provenance);
    let Op { phase, origin, .. } = &program.ops[next_to];
    let (phase, origin): (Phase, Origin) = (*phase, origin.clone());
    let args = Values::from_slice(&[value]);
    let op = Op {
        kind: Constrain { fresh, ..Constrain::default() }.into(),
        args,
        outs: Values::from_slice(&[out]),
        phase,
        origin,
    };
    (program.ops.push(op), out)
}
