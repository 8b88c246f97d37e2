//! Collectives between ranks on separate GPUs, as NCCL calls.
//!
//! The data movement follows the [row transfers](RowTransfer) of the runtime's verified collective; the network chooses
//! the algorithm. Calls operate on contiguous buffers: strided rows are packed into a staging buffer of the rank before
//! the call and unpacked after it.

use super::MAX_ROW_TRANSFERS;
use indexmap::IndexMap;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_runtime::collective_exec::CollectiveExec;
use partita_runtime::collective_exec::row_transfers::{MemberBuffer, RowTransfer, StridedRows};

/// A call of one member of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// Combines the operands of all members; every member receives the result.
    AllReduce,
    /// Concatenates the operands of all members by position; every member receives the result.
    AllGather,
    /// Combines the operands of all members; every member receives the segment of its position.
    ReduceScatter,
    /// Copies the operand of one member to all members.
    Broadcast {
        /// Position of the sender.
        root: usize,
    },
    /// Combines the operands of all members; one member receives the result.
    Reduce {
        /// Position of the receiver.
        root: usize,
    },
    /// Sends the operand to one member.
    Send {
        /// Position of the receiver.
        to: usize,
    },
    /// Receives the operand of one member.
    Receive {
        /// Position of the sender.
        from: usize,
    },
}

impl Call {
    /// Returns the name of the call in messages.
    pub fn name(self) -> &'static str {
        match self {
            Call::AllReduce => "all_reduce",
            Call::AllGather => "all_gather",
            Call::ReduceScatter => "reduce_scatter",
            Call::Broadcast { .. } => "broadcast",
            Call::Reduce { .. } => "reduce",
            Call::Send { .. } => "send",
            Call::Receive { .. } => "receive",
        }
    }
}

/// A call with its buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<P> {
    /// The call.
    pub call: Call,
    /// Number of elements of each member's operand; for [`Call::ReduceScatter`], of each member's result.
    pub count: usize,
    /// Start of the operand; ignored by calls without one.
    pub from: P,
    /// Start of the result; ignored by calls without one.
    pub to: P,
}

/// An offset into one of a member's buffers, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferOffset {
    /// Offset into the operand.
    Operand(usize),
    /// Offset into the result.
    Result(usize),
    /// Offset into the staging buffer.
    Staged(usize),
}

/// Element type of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementType {
    /// `f32`
    F32,
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
    /// `i32`, also for types that are stored as `i32`
    I32,
    /// `u32`, also for booleans
    U32,
}

/// Reduction operation of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReduceOp {
    /// `a + b`
    Sum,
    /// `a * b`
    Product,
    /// `max(a, b)`
    Max,
    /// `min(a, b)`
    Min,
}

/// Network calls of a collective. Each row transfer of a plan stays within one member: it reads the operand, the
/// staging buffer or nothing (zeros), and writes the staging buffer or the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallPlan {
    /// Element type.
    pub element: ElementType,
    /// Reduction operation; [`ReduceOp::Sum`] for collectives without one.
    pub combine: ReduceOp,
    /// Size of each member's staging buffer, in elements.
    pub staging_len: usize,
    /// Row transfers from operands to staging buffers, before the calls.
    pub pack: Vec<RowTransfer>,
    /// Calls of each member, which are issued as one group.
    pub requests: Vec<Vec<Request<BufferOffset>>>,
    /// Row transfers from staging buffers to results, after the calls.
    pub unpack: Vec<RowTransfer>,
    /// Row transfers from a member's operand to its own result, and row transfers that write zeros.
    pub local: Vec<RowTransfer>,
}

impl CallPlan {
    /// Returns the calls of a collective, or `None` if the network supports no such dtype, reduction or movement.
    pub fn from_exec(exec: &CollectiveExec) -> Option<CallPlan> {
        let (members, monoid) = (exec.members(), exec.monoid());
        let (element, combine) = element_and_op(exec.operand().dtype, monoid)?;
        let mut flows: IndexMap<(Vec<usize>, Vec<usize>), Vec<StridedRows>> = IndexMap::new();
        for RowTransfer { rows, from, to } in read_operands_only(exec.row_transfers()?) {
            let operand = |buffer| if let MemberBuffer::Operand(member) = buffer { Some(member) } else { None };
            let result = |buffer| if let MemberBuffer::Result(member) = buffer { Some(member) } else { None };
            let mut key: (Vec<usize>, Vec<usize>) = (
                from.into_iter().map(operand).collect::<Option<_>>()?,
                to.into_iter().map(result).collect::<Option<_>>()?,
            );
            key.0.sort_unstable();
            key.1.sort_unstable();
            flows.entry(key).or_default().push(rows);
        }
        let mut builder = PlanBuilder {
            members,
            plan: CallPlan {
                element,
                combine,
                staging_len: 0,
                pack: Vec::new(),
                requests: vec![Vec::new(); members],
                unpack: Vec::new(),
                local: Vec::new(),
            },
        };
        let (mut gathered, mut scattered) = (Vec::new(), Vec::new());
        for ((from, to), rows) in flows {
            let (is_from_all, is_to_all) = (from.len() == members, to.len() == members);
            match (&from[..], &to[..]) {
                ([], _) => to.iter().for_each(|&member| builder.copy_locally(None, member, &rows)),
                _ if is_from_all && is_to_all && monoid.is_some() => builder.all_reduce(&rows),
                (&[root], _) if is_to_all => gathered.push((root, rows)),
                (_, &[root]) if is_from_all && monoid.is_some() => scattered.push((root, rows)),
                (&[from], _) => to.iter().for_each(|&to| builder.send(from, to, &rows)),
                _ => return None,
            }
        }
        builder.gather(&gathered);
        builder.scatter(&scattered);
        let plan = builder.plan;
        (plan.pack.len() + plan.unpack.len() + plan.local.len() <= MAX_ROW_TRANSFERS).then_some(plan)
    }
}

/// Rewrites row transfers so that all of them read operands: a value that a member would forward is sent to its
/// receivers by the member that owns it.
fn read_operands_only(row_transfers: Vec<RowTransfer>) -> Vec<RowTransfer> {
    let mut direct: Vec<RowTransfer> = Vec::with_capacity(row_transfers.len());
    for row_transfer in row_transfers {
        let is_forwarded = matches!(row_transfer.from[..], [MemberBuffer::Result(_)]);
        let first = direct.iter_mut().rev().filter(|_| is_forwarded);
        let mut first =
            first.filter(|first| first.rows == row_transfer.rows && first.to.contains(&row_transfer.from[0]));
        match first.next() {
            Some(first) => first.to.extend(row_transfer.to),
            None => direct.push(row_transfer),
        }
    }
    direct
}

/// Returns the network's element type and reduction operation, or `None` if the network has no such type or operation.
fn element_and_op(dtype: DType, monoid: Option<Monoid>) -> Option<(ElementType, ReduceOp)> {
    let element = match dtype {
        DType::F32 => ElementType::F32,
        DType::F16 => ElementType::F16,
        DType::BF16 => ElementType::Bf16,
        DType::I32 | DType::I64 => ElementType::I32,
        DType::U32 | DType::Bool => ElementType::U32,
        _ => return None,
    };
    let combine = match (monoid, dtype) {
        (Some(Monoid::Sum | Monoid::Or), DType::Bool) => ReduceOp::Max,
        (Some(Monoid::Prod | Monoid::And), DType::Bool) => ReduceOp::Min,
        (Some(Monoid::And | Monoid::Or), _) => return None,
        (Some(Monoid::Sum) | None, _) => ReduceOp::Sum,
        (Some(Monoid::Prod), _) => ReduceOp::Product,
        (Some(Monoid::Max), _) => ReduceOp::Max,
        (Some(Monoid::Min), _) => ReduceOp::Min,
    };
    Some((element, combine))
}

/// Accessor for the start and pitch of rows, in the operand or in the result.
type StartAndPitch = fn(&StridedRows) -> (usize, usize);

/// Builder of a [`CallPlan`].
struct PlanBuilder {
    members: usize,
    plan: CallPlan,
}

impl PlanBuilder {
    /// Adds row transfers within a member's own memory; `from` is `None` for zeros.
    fn copy_locally(&mut self, from: Option<usize>, member: usize, rows: &[StridedRows]) {
        let from: Vec<MemberBuffer> = from.into_iter().map(MemberBuffer::Operand).collect();
        let row_transfer =
            |&rows: &StridedRows| RowTransfer { rows, from: from.clone(), to: vec![MemberBuffer::Result(member)] };
        self.plan.local.extend(rows.iter().map(row_transfer));
    }

    fn request(&mut self, member: usize, call: Call, count: usize, from: BufferOffset, to: BufferOffset) {
        self.plan.requests[member].push(Request { call, count, from, to });
    }

    /// Reserves `count` elements of the staging buffer. Returns their start.
    fn reserve_staging(&mut self, count: usize) -> usize {
        self.plan.staging_len += count;
        self.plan.staging_len - count
    }

    /// Returns the start of a contiguous buffer with the rows of several flows, for each of `members`. Rows that are
    /// not contiguous are packed into the staging buffer, or unpacked from it if `is_result`.
    fn contiguous_buffer(
        &mut self,
        flows: &[(usize, Vec<StridedRows>)],
        side: StartAndPitch,
        members: &[usize],
        is_result: bool,
    ) -> BufferOffset {
        let mut next = None;
        let is_contiguous = flows.iter().flat_map(|(_, rows)| rows).all(|rows| {
            let (start, pitch) = side(rows);
            let follows = next.is_none_or(|next| next == start) && (rows.count == 1 || pitch == rows.run);
            next = Some(start + rows.count * rows.run);
            follows
        });
        if is_contiguous {
            let start = flows.first().and_then(|(_, rows)| rows.first()).map_or(0, |rows| side(rows).0);
            return if is_result { BufferOffset::Result(start) } else { BufferOffset::Operand(start) };
        }
        let begin = self.reserve_staging(flows.iter().map(|(_, rows)| elements(rows)).sum());
        let mut at = begin;
        for rows in flows.iter().flat_map(|(_, rows)| rows) {
            for &member in members {
                let (staged, buffer_side) = ((at, rows.run), side(rows));
                let (operand, result) = if is_result { (staged, buffer_side) } else { (buffer_side, staged) };
                let rows = StridedRows { operand, result, ..*rows };
                let row_transfer = RowTransfer {
                    rows,
                    from: vec![MemberBuffer::Operand(member)],
                    to: vec![MemberBuffer::Result(member)],
                };
                if is_result { self.plan.unpack.push(row_transfer) } else { self.plan.pack.push(row_transfer) }
            }
            at += rows.count * rows.run;
        }
        BufferOffset::Staged(begin)
    }

    fn operand_buffer(&mut self, flows: &[(usize, Vec<StridedRows>)], members: &[usize]) -> BufferOffset {
        self.contiguous_buffer(flows, |rows| rows.operand, members, false)
    }

    fn result_buffer(&mut self, flows: &[(usize, Vec<StridedRows>)], members: &[usize]) -> BufferOffset {
        self.contiguous_buffer(flows, |rows| rows.result, members, true)
    }

    /// Adds the same call for all members.
    fn request_all(&mut self, call: Call, count: usize, from: BufferOffset, to: BufferOffset) {
        (0..self.members).for_each(|member| self.request(member, call, count, from, to));
    }

    fn all_reduce(&mut self, rows: &[StridedRows]) {
        let all: Vec<usize> = (0..self.members).collect();
        let flow = [(0, rows.to_vec())];
        let (from, to) = (self.operand_buffer(&flow, &all), self.result_buffer(&flow, &all));
        self.request_all(Call::AllReduce, elements(rows), from, to);
    }

    fn send(&mut self, from: usize, to: usize, rows: &[StridedRows]) {
        if from == to {
            return self.copy_locally(Some(from), to, rows);
        }
        let (flow, count) = ([(0, rows.to_vec())], elements(rows));
        let (operand, result) = (self.operand_buffer(&flow, &[from]), self.result_buffer(&flow, &[to]));
        self.request(from, Call::Send { to }, count, operand, operand);
        self.request(to, Call::Receive { from }, count, result, result);
    }

    /// Returns true if every member is the root of one flow, in order, and all flows have the same number of elements.
    fn is_even(&self, flows: &[(usize, Vec<StridedRows>)]) -> bool {
        let count = flows.first().map_or(0, |(_, rows)| elements(rows));
        flows.iter().map(|(root, _)| *root).eq(0..self.members) && flows.iter().all(|(_, rows)| elements(rows) == count)
    }

    /// Adds calls that send the operands of the roots to all members.
    fn gather(&mut self, flows: &[(usize, Vec<StridedRows>)]) {
        let all: Vec<usize> = (0..self.members).collect();
        if !self.is_even(flows) {
            for flow in flows {
                let (root, count) = (flow.0, elements(&flow.1));
                let from = self.operand_buffer(std::slice::from_ref(flow), &[root]);
                let to = self.result_buffer(std::slice::from_ref(flow), &all);
                self.request_all(Call::Broadcast { root }, count, from, to);
            }
            return;
        }
        let to = self.result_buffer(flows, &all);
        for (root, rows) in flows {
            let from = self.operand_buffer(&[(*root, rows.clone())], &[*root]);
            self.request(*root, Call::AllGather, elements(rows), from, to);
        }
    }

    /// Adds calls that combine the operands of all members; the roots receive the results.
    fn scatter(&mut self, flows: &[(usize, Vec<StridedRows>)]) {
        let all: Vec<usize> = (0..self.members).collect();
        if !self.is_even(flows) {
            for flow in flows {
                let (root, count) = (flow.0, elements(&flow.1));
                let from = self.operand_buffer(std::slice::from_ref(flow), &all);
                let to = self.result_buffer(std::slice::from_ref(flow), &[root]);
                self.request_all(Call::Reduce { root }, count, from, to);
            }
            return;
        }
        let from = self.operand_buffer(flows, &all);
        for (root, rows) in flows {
            let to = self.result_buffer(&[(*root, rows.clone())], &[*root]);
            self.request(*root, Call::ReduceScatter, elements(rows), from, to);
        }
    }
}

fn elements(rows: &[StridedRows]) -> usize {
    rows.iter().map(|rows| rows.count * rows.run).sum()
}

#[cfg(all(test, feature = "emulator"))]
mod tests;
