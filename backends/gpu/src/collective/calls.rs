//! Collectives among ranks that have a GPU each, as calls of NCCL's kind.
//!
//! What is moved is read off the [motions](Motion) of the runtime's proven exchange; how is a network's own business.
//! Its calls know nothing of rows: what does not lie in one piece is put side by side in memory of the rank's own
//! before, and apart behind.

use super::MOST_MOTIONS;
use indexmap::IndexMap;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_runtime::exchange::Exchange;
use partita_runtime::exchange::motion::{Motion, Place, Rows};

/// What a member of a group calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// Everyone gets the combination of all.
    AllReduce,
    /// Everyone gets what each gives, one after the other.
    AllGather,
    /// Of the combination of all, everyone gets the share of its position.
    ReduceScatter,
    /// Everyone gets what one member gives.
    Broadcast {
        /// Its position.
        root: usize,
    },
    /// One member gets the combination of all.
    Reduce {
        /// Its position.
        root: usize,
    },
    /// A member gets what this one gives.
    Send {
        /// Its position.
        to: usize,
    },
    /// This one gets what a member gives.
    Receive {
        /// Its position.
        from: usize,
    },
}

/// A call with what it is called on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<P> {
    /// What is called.
    pub call: Call,
    /// Elements that each gives, but for [`Call::ReduceScatter`]: that each gets.
    pub count: usize,
    /// What is given, where the call gives anything.
    pub from: P,
    /// Where it is put, where the call gets anything.
    pub to: P,
}

/// A place in a member's memory, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// In its operand.
    Operand(usize),
    /// In its result.
    Result(usize),
    /// In memory of its own.
    Staged(usize),
}

/// How elements lie in memory, for a network that combines them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// `f32`
    F32,
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
    /// `i32`, also of what was narrowed to it
    I32,
    /// `u32`, also of what is 0 or 1
    U32,
}

/// How a network combines elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    /// `a + b`
    Sum,
    /// `a * b`
    Product,
    /// The larger one.
    Max,
    /// The smaller one.
    Min,
}

/// An exchange as calls. Its motions are a member's own, from its operand, its staged memory or nowhere to its staged
/// memory or result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What elements are.
    pub element: Element,
    /// How they are combined; a sum where they are not.
    pub combine: Combine,
    /// Elements that each member stages.
    pub staged: usize,
    /// From operands to staged memory.
    pub before: Vec<Motion>,
    /// By member, what it calls, all at once.
    pub requests: Vec<Vec<Request<Spot>>>,
    /// From staged memory to results.
    pub after: Vec<Motion>,
    /// From a member's operand to its result, and what is cleared.
    pub own: Vec<Motion>,
}

impl Plan {
    /// The calls of an exchange. None for one that no network knows.
    pub fn of(exchange: &Exchange) -> Option<Plan> {
        let (members, monoid) = (exchange.members(), exchange.monoid());
        let (element, combine) = kind(exchange.operand().dtype, monoid)?;
        let mut flows: IndexMap<(Vec<usize>, Vec<usize>), Vec<Rows>> = IndexMap::new();
        for Motion { rows, from, to } in direct(exchange.motions()?) {
            let operand = |place| if let Place::Operand(member) = place { Some(member) } else { None };
            let result = |place| if let Place::Result(member) = place { Some(member) } else { None };
            let mut key: (Vec<usize>, Vec<usize>) = (
                from.into_iter().map(operand).collect::<Option<_>>()?,
                to.into_iter().map(result).collect::<Option<_>>()?,
            );
            key.0.sort_unstable();
            key.1.sort_unstable();
            flows.entry(key).or_default().push(rows);
        }
        let mut maker = Maker {
            members,
            plan: Plan {
                element,
                combine,
                staged: 0,
                before: Vec::new(),
                requests: vec![Vec::new(); members],
                after: Vec::new(),
                own: Vec::new(),
            },
        };
        let (mut gathered, mut scattered) = (Vec::new(), Vec::new());
        for ((from, to), rows) in flows {
            let (is_from_all, is_to_all) = (from.len() == members, to.len() == members);
            match (&from[..], &to[..]) {
                ([], _) => to.iter().for_each(|&member| maker.own(None, member, &rows)),
                _ if is_from_all && is_to_all && monoid.is_some() => maker.all_reduce(&rows),
                (&[root], _) if is_to_all => gathered.push((root, rows)),
                (_, &[root]) if is_from_all && monoid.is_some() => scattered.push((root, rows)),
                (&[from], _) => to.iter().for_each(|&to| maker.send(from, to, &rows)),
                _ => return None,
            }
        }
        maker.gather(&gathered);
        maker.scatter(&scattered);
        let plan = maker.plan;
        (plan.before.len() + plan.after.len() + plan.own.len() <= MOST_MOTIONS).then_some(plan)
    }
}

/// Motions from operands alone: what a member would pass on, the source sends to all who get it.
fn direct(motions: Vec<Motion>) -> Vec<Motion> {
    let mut direct: Vec<Motion> = Vec::with_capacity(motions.len());
    for motion in motions {
        let is_passed_on = matches!(motion.from[..], [Place::Result(_)]);
        let first = direct.iter_mut().rev().filter(|_| is_passed_on);
        let mut first = first.filter(|first| first.rows == motion.rows && first.to.contains(&motion.from[0]));
        match first.next() {
            Some(first) => first.to.extend(motion.to),
            None => direct.push(motion),
        }
    }
    direct
}

/// How a network has elements and combines them.
fn kind(dtype: DType, monoid: Option<Monoid>) -> Option<(Element, Combine)> {
    let element = match dtype {
        DType::F32 => Element::F32,
        DType::F16 => Element::F16,
        DType::BF16 => Element::Bf16,
        DType::I32 | DType::I64 => Element::I32,
        DType::U32 | DType::Bool => Element::U32,
        DType::F64 | DType::I8 | DType::U8 | DType::U64 => return None,
    };
    let combine = match (monoid, dtype) {
        (Some(Monoid::Sum | Monoid::Or), DType::Bool) => Combine::Max,
        (Some(Monoid::Prod | Monoid::And), DType::Bool) => Combine::Min,
        (Some(Monoid::And | Monoid::Or), _) => return None,
        (Some(Monoid::Sum) | None, _) => Combine::Sum,
        (Some(Monoid::Prod), _) => Combine::Product,
        (Some(Monoid::Max), _) => Combine::Max,
        (Some(Monoid::Min), _) => Combine::Min,
    };
    Some((element, combine))
}

/// Where the first of some rows is in an operand or a result, and how far apart they are.
type Side = fn(&Rows) -> (usize, usize);

/// A plan on its way.
struct Maker {
    members: usize,
    plan: Plan,
}

impl Maker {
    /// A member moves rows within its own memory.
    fn own(&mut self, from: Option<usize>, member: usize, rows: &[Rows]) {
        let from: Vec<Place> = from.into_iter().map(Place::Operand).collect();
        let motion = |&rows: &Rows| Motion { rows, from: from.clone(), to: vec![Place::Result(member)] };
        self.plan.own.extend(rows.iter().map(motion));
    }

    fn request(&mut self, member: usize, call: Call, count: usize, from: Spot, to: Spot) {
        self.plan.requests[member].push(Request { call, count, from, to });
    }

    /// So many elements of staged memory.
    fn stage(&mut self, count: usize) -> usize {
        self.plan.staged += count;
        self.plan.staged - count
    }

    /// Where some members have the rows of several flows as one piece, which is staged unless they lie so. `at` says
    /// where flows begin.
    fn together(&mut self, flows: &[(usize, Vec<Rows>)], side: Side, members: &[usize], is_result: bool) -> Spot {
        let mut next = None;
        let lies = flows.iter().flat_map(|(_, rows)| rows).all(|rows| {
            let (start, pitch) = side(rows);
            let follows = next.is_none_or(|next| next == start) && (rows.count == 1 || pitch == rows.run);
            next = Some(start + rows.count * rows.run);
            follows
        });
        if lies {
            let start = flows.first().and_then(|(_, rows)| rows.first()).map_or(0, |rows| side(rows).0);
            return if is_result { Spot::Result(start) } else { Spot::Operand(start) };
        }
        let begin = self.stage(flows.iter().map(|(_, rows)| elements(rows)).sum());
        let mut at = begin;
        for rows in flows.iter().flat_map(|(_, rows)| rows) {
            for &member in members {
                let (staged, there) = ((at, rows.run), side(rows));
                let (operand, result) = if is_result { (staged, there) } else { (there, staged) };
                let rows = Rows { operand, result, ..*rows };
                let motion = Motion { rows, from: vec![Place::Operand(member)], to: vec![Place::Result(member)] };
                if is_result { self.plan.after.push(motion) } else { self.plan.before.push(motion) }
            }
            at += rows.count * rows.run;
        }
        Spot::Staged(begin)
    }

    fn given(&mut self, flows: &[(usize, Vec<Rows>)], members: &[usize]) -> Spot {
        self.together(flows, |rows| rows.operand, members, false)
    }

    fn got(&mut self, flows: &[(usize, Vec<Rows>)], members: &[usize]) -> Spot {
        self.together(flows, |rows| rows.result, members, true)
    }

    /// All members call the same.
    fn all(&mut self, call: Call, count: usize, from: Spot, to: Spot) {
        (0..self.members).for_each(|member| self.request(member, call, count, from, to));
    }

    fn all_reduce(&mut self, rows: &[Rows]) {
        let all: Vec<usize> = (0..self.members).collect();
        let flow = [(0, rows.to_vec())];
        let (from, to) = (self.given(&flow, &all), self.got(&flow, &all));
        self.all(Call::AllReduce, elements(rows), from, to);
    }

    fn send(&mut self, from: usize, to: usize, rows: &[Rows]) {
        if from == to {
            return self.own(Some(from), to, rows);
        }
        let (flow, count) = ([(0, rows.to_vec())], elements(rows));
        let (given, got) = (self.given(&flow, &[from]), self.got(&flow, &[to]));
        self.request(from, Call::Send { to }, count, given, given);
        self.request(to, Call::Receive { from }, count, got, got);
    }

    /// Whether every member is the root of one flow, in order, and all are as large.
    fn is_even(&self, flows: &[(usize, Vec<Rows>)]) -> bool {
        let count = flows.first().map_or(0, |(_, rows)| elements(rows));
        flows.iter().map(|(root, _)| *root).eq(0..self.members) && flows.iter().all(|(_, rows)| elements(rows) == count)
    }

    /// Everyone gets what the roots give.
    fn gather(&mut self, flows: &[(usize, Vec<Rows>)]) {
        let all: Vec<usize> = (0..self.members).collect();
        if !self.is_even(flows) {
            for flow in flows {
                let (root, count) = (flow.0, elements(&flow.1));
                let from = self.given(std::slice::from_ref(flow), &[root]);
                let to = self.got(std::slice::from_ref(flow), &all);
                self.all(Call::Broadcast { root }, count, from, to);
            }
            return;
        }
        let to = self.got(flows, &all);
        for (root, rows) in flows {
            let from = self.given(&[(*root, rows.clone())], &[*root]);
            self.request(*root, Call::AllGather, elements(rows), from, to);
        }
    }

    /// The roots get the combination of what all give.
    fn scatter(&mut self, flows: &[(usize, Vec<Rows>)]) {
        let all: Vec<usize> = (0..self.members).collect();
        if !self.is_even(flows) {
            for flow in flows {
                let (root, count) = (flow.0, elements(&flow.1));
                let from = self.given(std::slice::from_ref(flow), &all);
                let to = self.got(std::slice::from_ref(flow), &[root]);
                self.all(Call::Reduce { root }, count, from, to);
            }
            return;
        }
        let from = self.given(flows, &all);
        for (root, rows) in flows {
            let to = self.got(&[(*root, rows.clone())], &[*root]);
            self.request(*root, Call::ReduceScatter, elements(rows), from, to);
        }
    }
}

fn elements(rows: &[Rows]) -> usize {
    rows.iter().map(|rows| rows.count * rows.run).sum()
}

#[cfg(all(test, feature = "emulator"))]
mod tests;
