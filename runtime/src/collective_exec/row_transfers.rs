//! Collective as copies of strided rows, for devices with separate memory.

use crate::collective_exec::{BlockOp, ChunkBuffer, CollectiveExec};
use partita_ir::layout::Monoid;

/// Buffer of a member that elements are read from or written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemberBuffer {
    /// Operand of a member.
    Operand(usize),
    /// Result of a member.
    Result(usize),
}

/// Strided rows: `count` rows of `run` contiguous elements, at the same position for all members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StridedRows {
    /// Number of rows.
    pub count: usize,
    /// Elements of a row.
    pub run: usize,
    /// Offset of the first row in an operand and distance between rows, in elements.
    pub operand: (usize, usize),
    /// Offset of the first row in a result and distance between rows, in elements.
    pub result: (usize, usize),
}

/// Transfer of rows: combines the rows of `from` in order and writes the result to all of `to`. Writes zeros if `from`
/// is empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowTransfer {
    /// Rows to transfer.
    pub rows: StridedRows,
    /// Sources.
    pub from: Vec<MemberBuffer>,
    /// Targets.
    pub to: Vec<MemberBuffer>,
}

impl CollectiveExec {
    /// Returns the reduction operator, if any.
    pub fn monoid(&self) -> Option<Monoid> {
        self.monoid
    }

    /// Returns the transfers, in execution order; `None` if the collective algorithm needs scratch memory.
    pub fn row_transfers(&self) -> Option<Vec<RowTransfer>> {
        let place = |buffer: &ChunkBuffer| match *buffer {
            ChunkBuffer::Input(member) => Some(MemberBuffer::Operand(member)),
            ChunkBuffer::Output(member) => Some(MemberBuffer::Result(member)),
            ChunkBuffer::Scratch(_) => None,
        };
        let mut row_transfers = Vec::new();
        for work in &self.works {
            let steps: Vec<(Vec<MemberBuffer>, Vec<MemberBuffer>)> = match &work.op {
                BlockOp::Clear(member) => vec![(Vec::new(), vec![MemberBuffer::Result(*member)])],
                BlockOp::Transfers(moves, _) => {
                    let places = |buffers: &[ChunkBuffer]| buffers.iter().map(place).collect::<Option<Vec<_>>>();
                    moves.iter().map(|step| Some((places(&step.from)?, places(&step.to)?))).collect::<Option<_>>()?
                }
            };
            for (from, to) in steps {
                row_transfers.extend(work.block.strided_rows().map(|rows| RowTransfer {
                    rows,
                    from: from.clone(),
                    to: to.clone(),
                }));
            }
        }
        Some(row_transfers)
    }
}
