//! From routines to code: collectives are started where they stand and awaited where their results are read, slots that
//! are needed at different times share memory, and every address is decided.

mod duties;

use crate::code::{Act, Address, Addresses, Base, Body, Output, Task};
use crate::kernel::Computes;
use crate::replicas::{AxisSet, Duty};
use crate::routine::{Action, Held, Routine, Slot, Span, Step};
use partita_ir::offsets::{Block, offsets};

/// What is done when.
enum Event<K> {
    /// A step of the routine.
    Do(Step<K>),
    /// The collective of that number is awaited.
    Wait(usize),
}

/// Assembles one function for so many devices, on whose memory values begin at multiples of so many bytes. `site`
/// numbers the collectives, `name` the names; `done` are the bodies of loops.
pub(crate) fn assemble<K: Computes>(
    routine: Routine<K>,
    is_main: bool,
    devices: usize,
    align: usize,
    done: &[Body<K>],
    site: &mut dyn FnMut(&Step<K>) -> usize,
    name: &mut dyn FnMut(&Step<K>) -> u32,
) -> (Body<K>, Vec<Output>) {
    let mut assembler = Assembler::new(routine, is_main, (devices, align), done);
    assembler.schedule(site, name);
    assembler.finish();
    assembler.assign_duties();
    assembler.share();
    assembler.emit()
}

/// From when to when a slot is needed, by position of events.
#[derive(Clone, Copy)]
struct Life {
    first_write: usize,
    first: usize,
    last: usize,
    last_read: usize,
}

struct Assembler<'a, K> {
    slots: Vec<Held>,
    steps: Vec<Step<K>>,
    outputs: Vec<Span>,
    output_bytes: Vec<usize>,
    replaces: Vec<Option<usize>>,
    same: Vec<AxisSet>,
    is_main: bool,
    devices: usize,
    align: usize,
    done: &'a [Body<K>],
    events: Vec<Event<K>>,
    /// By event, the collective's number and the name.
    sites: Vec<usize>,
    names: Vec<u32>,
    lives: Vec<Life>,
    /// The slot in whose memory a slot lies.
    home: Vec<usize>,
    /// Outputs of the main function that have the slot as their own buffer.
    own_output: Vec<Option<u32>>,
    over_input: Vec<Option<u32>>,
    /// By event, who carries it out; by slot, who has it.
    duties: Vec<Duty>,
    owners: Vec<Duty>,
}

impl<'a, K: Computes> Assembler<'a, K> {
    fn new(
        routine: Routine<K>,
        is_main: bool,
        (devices, align): (usize, usize),
        done: &'a [Body<K>],
    ) -> Assembler<'a, K> {
        let Routine { slots, steps, outputs, output_bytes, replaces, same } = routine;
        let (lives, home) = (Vec::new(), Vec::new());
        let (own_output, over_input, events, sites, names) = Default::default();
        let (duties, owners) = Default::default();
        Assembler {
            slots,
            steps,
            outputs,
            output_bytes,
            replaces,
            same,
            is_main,
            devices,
            align,
            done,
            events,
            sites,
            names,
            lives,
            home,
            own_output,
            over_input,
            duties,
            owners,
        }
    }

    /// Puts a wait in front of the first step that touches what a collective writes or reads, and copies in front of
    /// loops for what they carry.
    fn schedule(&mut self, site: &mut dyn FnMut(&Step<K>) -> usize, name: &mut dyn FnMut(&Step<K>) -> u32) {
        // By slot, the collective under way that writes there.
        let mut under_way: Vec<(usize, Vec<Slot>, Vec<Slot>, u32)> = Vec::new();
        for mut step in std::mem::take(&mut self.steps) {
            let touches = |slots: &[Slot], spans: &[Span]| spans.iter().any(|s| slots.contains(&s.slot));
            let mut waits = Vec::new();
            under_way.retain(|(number, writes, reads, name)| {
                let due = touches(writes, &step.reads)
                    || touches(writes, &step.writes)
                    || touches(reads, &step.writes)
                    || matches!(step.action, Action::Loop { .. });
                if due {
                    waits.push((*number, *name));
                }
                !due
            });
            for (number, name) in waits {
                self.event(Event::Wait(number), number, name);
            }
            let label = name(&step);
            match &step.action {
                Action::Compute { .. } => self.event(Event::Do(step), 0, label),
                Action::Meet { .. } => {
                    let number = site(&step);
                    let slots = |spans: &[Span]| spans.iter().map(|s| s.slot).collect::<Vec<_>>();
                    under_way.push((number, slots(&step.writes), slots(&step.reads), label));
                    self.event(Event::Do(step), number, label);
                }
                Action::Loop { carried, .. } => {
                    // What a loop carries lies where its results are, from the beginning.
                    for (read, write) in carried.clone().into_iter().enumerate() {
                        let Some(write) = write else { continue };
                        let to = step.writes[write];
                        let Held::Temporary(bytes) = self.slots[to.slot.index()] else { continue };
                        let copy = copy(&step, step.reads[read], to, bytes);
                        step.reads[read] = to;
                        self.event(Event::Do(copy), 0, label);
                    }
                    self.event(Event::Do(step), 0, label);
                }
            }
        }
        for (number, _, _, name) in under_way {
            self.event(Event::Wait(number), number, name);
        }
    }

    fn event(&mut self, event: Event<K>, site: usize, name: u32) {
        self.events.push(event);
        self.sites.push(site);
        self.names.push(name);
    }

    /// Decides where outputs are: in the main function in buffers of their own or over the inputs that they replace, in
    /// a loop's body over the inputs of its next turn.
    fn finish(&mut self) {
        let input_slot = |slots: &[Held], input: usize| slots.iter().position(|h| *h == Held::Input(input));
        self.live();
        self.own_output = vec![None; self.slots.len()];
        self.over_input = vec![None; self.slots.len()];
        // Copies read what others are about to overwrite: through a slot in between where they must.
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for output in 0..self.outputs.len() {
            let (span, bytes) = (self.outputs[output], self.output_bytes[output]);
            let slot = span.slot.index();
            // What one device computes for others is not written over what they still read.
            let shared = self.same.get(output).is_some_and(|&axes| axes != 0);
            let over = if self.is_main { self.replaces[output].filter(|_| !shared) } else { Some(output) };
            if let Some(input) = over {
                if self.slots[slot] == Held::Input(input) && span.offset == 0 {
                    continue;
                }
                let read_last = input_slot(&self.slots, input).map_or(0, |s| self.lives[s].last_read);
                let free = read_last <= self.lives[slot].first_write
                    && (read_last < self.lives[slot].first_write || self.may_share_input(slot, input));
                if free && self.is_whole(span, bytes) && self.is_unclaimed(slot) {
                    self.over_input[slot] = Some(input as u32);
                    continue;
                }
            }
            if self.is_main {
                if self.is_whole(span, bytes) && self.is_unclaimed(slot) {
                    self.own_output[slot] = Some(output as u32);
                    self.replaces[output] = None;
                    continue;
                }
                // A buffer of its own.
                let own = self.new_slot(bytes);
                self.own_output[own.index()] = Some(output as u32);
                self.replaces[output] = None;
                second.push((span, own, bytes));
                self.outputs[output] = Span::whole(own);
            } else {
                // The input of the next turn, when every copy has read it.
                let target = match input_slot(&self.slots, output) {
                    Some(slot) => Slot(slot as u32),
                    None => {
                        self.slots.push(Held::Input(output));
                        self.own_output.push(None);
                        self.over_input.push(None);
                        Slot(self.slots.len() as u32 - 1)
                    }
                };
                let between = self.new_slot(bytes);
                first.push((span, between, bytes));
                second.push((Span::whole(between), target, bytes));
            }
        }
        let op = self.events.iter().rev().find_map(|e| if let Event::Do(step) = e { Some(step.op) } else { None });
        let name = self.names.last().copied().unwrap_or(0);
        for (from, to, bytes) in first.into_iter().chain(second) {
            let step = Step {
                op: op.unwrap_or(partita_ir::arena::OpId(0)),
                reads: vec![from],
                writes: vec![Span::whole(to)],
                action: Action::Compute { kernel: K::copy(bytes), scratch: 0, in_place: Vec::new() },
            };
            self.event(Event::Do(step), 0, name);
        }
        self.live();
    }

    fn new_slot(&mut self, bytes: usize) -> Slot {
        self.slots.push(Held::Temporary(bytes));
        self.own_output.push(None);
        self.over_input.push(None);
        Slot(self.slots.len() as u32 - 1)
    }

    /// Whether the span is all of a slot of the routine's own.
    fn is_whole(&self, span: Span, bytes: usize) -> bool {
        span.offset == 0 && self.slots[span.slot.index()] == Held::Temporary(bytes)
    }

    fn is_unclaimed(&self, slot: usize) -> bool {
        self.own_output[slot].is_none() && self.over_input[slot].is_none()
    }

    /// Whether the step that writes the slot first, and reads the input last, may write over it.
    fn may_share_input(&self, slot: usize, input: usize) -> bool {
        let Some(Event::Do(step)) = self.events.get(self.lives[slot].first_write) else { return false };
        let Action::Compute { in_place, .. } = &step.action else { return false };
        let is_input = |read: usize| {
            let span = step.reads[read];
            span.offset == 0 && self.slots[span.slot.index()] == Held::Input(input)
        };
        // Every mention of the input must be one that the kernel expects to be overwritten.
        let mentions = |slot: Slot| self.slots[slot.index()] == Held::Input(input);
        let fits = in_place.iter().any(|&(write, read)| step.writes[write].slot.index() == slot && is_input(read));
        fits && step.reads.iter().enumerate().all(|(read, span)| {
            !mentions(span.slot)
                || in_place.iter().any(|&(write, r)| r == read && step.writes[write].slot.index() == slot)
        })
    }

    /// When each slot is needed.
    fn live(&mut self) {
        let none = Life { first_write: usize::MAX, first: usize::MAX, last: 0, last_read: 0 };
        let mut lives = vec![none; self.slots.len()];
        // By collective, what it touches until it is awaited.
        let mut open: Vec<(usize, Vec<Slot>)> = Vec::new();
        for (at, event) in self.events.iter().enumerate() {
            match event {
                Event::Do(step) => {
                    for span in &step.reads {
                        let life = &mut lives[span.slot.index()];
                        life.first = life.first.min(at);
                        (life.last, life.last_read) = (at, at);
                    }
                    for span in &step.writes {
                        let life = &mut lives[span.slot.index()];
                        life.first = life.first.min(at);
                        life.first_write = life.first_write.min(at);
                        life.last = at;
                    }
                    if step.is_meeting() {
                        let touched = step.reads.iter().chain(&step.writes).map(|s| s.slot).collect();
                        open.push((self.sites[at], touched));
                    }
                }
                Event::Wait(number) => {
                    let Some(position) = open.iter().position(|(n, _)| n == number) else { continue };
                    for slot in open.remove(position).1 {
                        let life = &mut lives[slot.index()];
                        (life.last, life.last_read) = (at, at);
                    }
                }
            }
        }
        for output in &self.outputs {
            let life = &mut lives[output.slot.index()];
            (life.last, life.last_read) = (self.events.len(), self.events.len());
            life.first = life.first.min(self.events.len());
        }
        self.lives = lives;
    }

    /// Lets results take the memory of operands that nobody reads afterwards.
    fn share(&mut self) {
        self.home = (0..self.slots.len()).collect();
        for at in 0..self.events.len() {
            let Event::Do(step) = &self.events[at] else { continue };
            let pairs: Vec<(usize, usize)> = match &step.action {
                Action::Compute { in_place, .. } => in_place.clone(),
                Action::Meet { in_place: true } => (0..step.reads.len()).map(|i| (i, i)).collect(),
                _ => Vec::new(),
            };
            for (write, read) in pairs {
                let (Some(to), Some(from)) = (step.writes.get(write), step.reads.get(read)) else { continue };
                let mentioned = step.reads.iter().filter(|s| s.slot == from.slot).count();
                let expected = match &step.action {
                    Action::Compute { in_place, .. } => {
                        in_place.iter().filter(|&&(w, r)| w == write && step.reads[r].slot == from.slot).count()
                    }
                    _ => 1,
                };
                let (to, from) = (to.slot.index(), self.home_of(from.slot.index()));
                let (Held::Temporary(a), Held::Temporary(b)) = (self.slots[to], self.slots[from]) else { continue };
                let fits = a == b
                    && step.writes[write].offset == 0
                    && step.reads[read].offset == 0
                    && mentioned == expected
                    && self.lives[to].first_write == at
                    && self.lives[to].first == at
                    && self.home[to] == to
                    && self.is_unclaimed(from)
                    && self.over_input[to].is_none()
                    && (self.own_output[to].is_none() || self.all_owned(from, self.owners[to]))
                    && to != from
                    && (self.lives[from].last == at || self.ends_with_wait(from, at));
                if fits {
                    // The operand's memory lives on as the result's.
                    self.home[from] = to;
                    self.lives[to].first = self.lives[from].first;
                }
            }
        }
    }

    /// Whether all that lies in a slot's memory is on the devices of that duty only, or that duty is everybody's.
    fn all_owned(&self, home: usize, by: Duty) -> bool {
        by.is_everybodys() || (0..self.slots.len()).all(|slot| self.home_of(slot) != home || self.owners[slot] == by)
    }

    fn home_of(&self, mut slot: usize) -> usize {
        while self.home[slot] != slot {
            slot = self.home[slot];
        }
        slot
    }

    /// Whether nothing reads the slot behind the collective that starts there but the wait for it.
    fn ends_with_wait(&self, slot: usize, at: usize) -> bool {
        let Event::Do(step) = &self.events[at] else { return false };
        step.is_meeting()
            && matches!(self.events.get(self.lives[slot].last), Some(Event::Wait(number)) if *number == self.sites[at])
            && !self.events[at + 1..self.lives[slot].last].iter().any(|e| {
                matches!(e, Event::Do(step) if step.reads.iter().chain(&step.writes).any(|s| s.slot.index() == slot))
            })
    }

    fn emit(mut self) -> (Body<K>, Vec<Output>) {
        // Slots with memory in the frame, scratch memory, and frames of nested bodies.
        let mut blocks = Vec::new();
        let of_slot = |slot: usize| match self.slots[slot] {
            Held::Temporary(bytes)
                if self.home[slot] == slot && self.is_unclaimed(slot) && self.lives[slot].first != usize::MAX =>
            {
                let Life { first, last, .. } = self.lives[slot];
                blocks.push(Block { bytes, first, last });
                Some(blocks.len() - 1)
            }
            _ => None,
        };
        let block_of: Vec<Option<usize>> = (0..self.slots.len()).map(of_slot).collect();
        let mut extra = vec![None; self.events.len()];
        for (at, event) in self.events.iter().enumerate() {
            let bytes = match event {
                Event::Do(Step { action: Action::Compute { scratch, .. }, .. }) => *scratch,
                Event::Do(Step { action: Action::Loop { routine, .. }, .. }) => self.done[*routine].frame_bytes,
                _ => 0,
            };
            if bytes > 0 {
                extra[at] = Some(blocks.len());
                blocks.push(Block { bytes, first: at, last: at });
            }
        }
        let (offsets, frame_bytes) = offsets(&blocks, self.align);
        let events = std::mem::take(&mut self.events);
        let address = |span: &Span| {
            let home = self.home_of(span.slot.index());
            let (base, start) = match (self.slots[home], self.own_output[home], self.over_input[home]) {
                (_, Some(output), _) => (Base::Output(output), 0),
                (_, _, Some(input)) => (Base::Input(input), 0),
                (Held::Input(input), ..) => (Base::Input(input as u32), 0),
                (Held::Constant(constant), ..) => (Base::Constant(constant as u32), 0),
                (Held::Temporary(_), ..) => (Base::Frame, block_of[home].map_or(0, |b| offsets[b])),
            };
            Address { base, offset: start + span.offset }
        };
        let mut tasks = Vec::with_capacity(events.len());
        for (at, event) in events.into_iter().enumerate() {
            let name = self.names[at];
            let place = extra[at].map_or(0, |b| offsets[b]);
            let task = match event {
                Event::Wait(number) => {
                    let none = Addresses::new;
                    Task { name, reads: none(), writes: none(), act: Act::Wait(number), duty: Duty::default() }
                }
                Event::Do(step) => {
                    let all = |spans: &[Span]| spans.iter().map(address).collect();
                    let (reads, writes) = (all(&step.reads), all(&step.writes));
                    let act = match step.action {
                        Action::Compute { kernel, .. } => Act::Compute(kernel, place),
                        Action::Meet { .. } => Act::Start(self.sites[at]),
                        Action::Loop { trip, routine, .. } => Act::Loop { trip, body: routine, frame: place },
                    };
                    Task { name, reads, writes, act, duty: self.duties[at] }
                }
            };
            // What is where it should be needs no copy.
            let is_idle = matches!(&task.act, Act::Compute(..)) && self.copies_nothing(&task);
            if !is_idle {
                tasks.push(task);
            }
        }
        let outputs = self.outputs.iter().enumerate().map(|(i, span)| match self.replaces.get(i).copied().flatten() {
            Some(input) => Output::Over(input),
            None => Output::Own(self.output_bytes[i], self.owners[span.slot.index()]),
        });
        let outputs = outputs.collect();
        (Body { tasks, frame_bytes }, outputs)
    }

    fn copies_nothing(&self, task: &Task<K>) -> bool {
        task.reads.len() == 1 && task.reads == task.writes && matches!(&task.act, Act::Compute(k, _) if k.is_copy())
    }
}

/// A step that copies.
fn copy<K: Computes>(like: &Step<K>, from: Span, to: Span, bytes: usize) -> Step<K> {
    let action = Action::Compute { kernel: K::copy(bytes), scratch: 0, in_place: vec![(0, 0)] };
    Step { op: like.op, reads: vec![from], writes: vec![to], action }
}
