//! An exchange as motions of elements, for devices that have memory of their own and carry them out there.

use crate::exchange::{Exchange, Spot, Task};
use partita_ir::layout::Monoid;

/// Whose memory elements are read from or written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The operand of a member.
    Operand(usize),
    /// The result of a member.
    Result(usize),
}

/// Rows of elements, where all members have them: `count` rows of `run` elements that lie side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// How many rows there are.
    pub count: usize,
    /// Elements of a row.
    pub run: usize,
    /// Elements before the first row in an operand, and from one row to the next.
    pub operand: (usize, usize),
    /// The same in a result.
    pub result: (usize, usize),
}

/// What is done with some rows: what lies at the places of `from`, combined from the first to the last, goes to all of
/// `to`. From nowhere come zeros.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Motion {
    /// Which elements.
    pub rows: Rows,
    /// Where they come from.
    pub from: Vec<Place>,
    /// Where they go.
    pub to: Vec<Place>,
}

impl Exchange {
    /// How elements are combined, if they are.
    pub fn monoid(&self) -> Option<Monoid> {
        self.monoid
    }

    /// The exchange as motions, which are carried out one after the other. None if its method needs memory of its own.
    pub fn motions(&self) -> Option<Vec<Motion>> {
        let place = |spot: &Spot| match *spot {
            Spot::Input(member) => Some(Place::Operand(member)),
            Spot::Output(member) => Some(Place::Result(member)),
            Spot::Scratch(_) => None,
        };
        let mut motions = Vec::new();
        for work in &self.works {
            let steps: Vec<(Vec<Place>, Vec<Place>)> = match &work.task {
                Task::Clear(member) => vec![(Vec::new(), vec![Place::Result(*member)])],
                Task::Flow(moves, _) => {
                    let places = |spots: &[Spot]| spots.iter().map(place).collect::<Option<Vec<_>>>();
                    moves.iter().map(|step| Some((places(&step.from)?, places(&step.to)?))).collect::<Option<_>>()?
                }
            };
            for (from, to) in steps {
                motions.extend(work.block.boxes().map(|rows| Motion { rows, from: from.clone(), to: to.clone() }));
            }
        }
        Some(motions)
    }
}
