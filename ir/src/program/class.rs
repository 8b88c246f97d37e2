//! Classes of operations: the coarse question that analyses ask first.
//!
//! Each op states its class in its own file, so that code which decides by class covers ops that are added later.

use crate::mesh::Axes;
use crate::program::ops::{
    AllGather, AllReduce, AllToAll, Constant, Constrain, Iota, Loop, Mask, Partial, Permute, PieceStart, ReduceScatter,
    Reshard, Shard,
};

/// The class of computation that an operation does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Class<'a> {
    /// Values that the op itself states: constants and counters.
    Source(SourceOp<'a>),
    /// Pseudo-random numbers.
    Random,
    /// Element `i` of the result is a function of elements `i` of the operands.
    Elementwise,
    /// Elements of the operands in other places, which the attributes state: reshape, transpose, pad, slice.
    Movement,
    /// Elements of the operands in places that an operand states: gather, scatter, dynamic slices.
    Indexing,
    /// Sums of products over contracting dimensions: matrix products and convolutions.
    Product,
    /// Attention and its gradient, which are two products or more.
    Attention,
    /// Dimensions or windows are combined to one element.
    Reduction,
    /// Elements are ordered.
    Sorting,
    /// A statistic along some dimensions, and elementwise functions of it: softmax, normalisations, cross-entropy.
    Normalisation,
    /// The step of an optimizer.
    Update,
    /// Functions of the program are run.
    Control(Control<'a>),
    /// Values are unchanged; the layout is stated.
    Layout(LayoutOp<'a>),
    /// The result depends on the place of the device along axes, without communication.
    Device(DeviceOp<'a>),
    /// Devices communicate.
    Collective(Collective<'a>),
}

impl<'a> Class<'a> {
    /// The source of that class.
    pub fn source(self) -> Option<SourceOp<'a>> {
        if let Class::Source(source) = self { Some(source) } else { None }
    }

    /// The collective of that class.
    pub fn collective(self) -> Option<Collective<'a>> {
        if let Class::Collective(collective) = self { Some(collective) } else { None }
    }

    /// The control flow of that class.
    pub fn control(self) -> Option<Control<'a>> {
        if let Class::Control(control) = self { Some(control) } else { None }
    }

    /// The op of that class that states a layout.
    pub fn layout(self) -> Option<LayoutOp<'a>> {
        if let Class::Layout(op) = self { Some(op) } else { None }
    }

    /// The op of that class whose result depends on the device.
    pub fn device(self) -> Option<DeviceOp<'a>> {
        if let Class::Device(op) = self { Some(op) } else { None }
    }

    /// The mesh axes that ops of that class name; `None` when they name none.
    pub fn axes(self) -> Option<&'a Axes> {
        self.collective().map(Collective::axes).or_else(|| self.device().map(DeviceOp::axes))
    }

    /// Returns whether ops of that class state a layout and compute nothing.
    pub fn states_layout(self) -> bool {
        matches!(self, Class::Layout(_))
    }

    /// Returns whether the work grows faster than the bytes that are read and written: matrix units may do it.
    pub fn contracts(self) -> bool {
        matches!(self, Class::Product | Class::Attention)
    }
}

/// An operation without operands whose result it states itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SourceOp<'a> {
    /// Numbers that the op lists.
    Constant(&'a Constant),
    /// Counters along a dimension.
    Iota(&'a Iota),
}

/// An operation that states a layout and leaves values as they are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LayoutOp<'a> {
    /// The layout that a user asks for.
    Constrain(&'a Constrain),
    /// A change of layout that is not yet a sequence of collectives.
    Reshard(&'a Reshard),
}

impl LayoutOp<'_> {
    /// Returns whether the op is a change of layout that the partitioner inserted.
    pub fn is_reshard(self) -> bool {
        match self {
            LayoutOp::Reshard(_) => true,
            LayoutOp::Constrain(_) => false,
        }
    }
}

/// An operation that runs a function of the program whose values have layouts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Control<'a> {
    /// The body is run a number of times that is known ahead of time.
    Loop(&'a Loop),
}

/// An operation whose result depends on the device's place along axes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DeviceOp<'a> {
    /// The shard of the device is cut out of a replicated value.
    Shard(&'a Shard),
    /// A replicated value becomes a partial sum: one device keeps it, the others have zeros.
    Partial(&'a Partial),
    /// The padding of the device's shard is overwritten.
    Mask(&'a Mask),
    /// The position of the first element of the device's shard.
    PieceStart(&'a PieceStart),
}

impl<'a> DeviceOp<'a> {
    /// The axes of the place.
    pub fn axes(self) -> &'a Axes {
        match self {
            DeviceOp::Shard(op) => &op.axes,
            DeviceOp::Partial(op) => &op.axes,
            DeviceOp::Mask(op) => &op.axes,
            DeviceOp::PieceStart(op) => &op.axes,
        }
    }
}

/// An operation for which devices communicate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Collective<'a> {
    /// Each device gets the combination of all values.
    AllReduce(&'a AllReduce),
    /// Each device gets the shards of all.
    AllGather(&'a AllGather),
    /// Each device gets its shard of the combination of all values.
    ReduceScatter(&'a ReduceScatter),
    /// Each device gets a shard of every device's value.
    AllToAll(&'a AllToAll),
    /// Devices get the values of others, pair by pair.
    Permute(&'a Permute),
}

impl<'a> Collective<'a> {
    /// Returns whether several values are taken at once, each with a result of its own.
    pub fn takes_several(self) -> bool {
        match self {
            Collective::AllReduce(_) => true,
            Collective::AllGather(_) | Collective::ReduceScatter(_) => false,
            Collective::AllToAll(_) | Collective::Permute(_) => false,
        }
    }

    /// Returns whether results may be stored over the operands: element `i` is combined from elements `i` alone.
    pub fn may_overwrite(self) -> bool {
        match self {
            Collective::AllReduce(_) => true,
            Collective::AllGather(_) | Collective::ReduceScatter(_) => false,
            Collective::AllToAll(_) | Collective::Permute(_) => false,
        }
    }

    /// The axes along which devices communicate.
    pub fn axes(self) -> &'a Axes {
        match self {
            Collective::AllReduce(op) => &op.axes,
            Collective::AllGather(op) => &op.axes,
            Collective::ReduceScatter(op) => &op.axes,
            Collective::AllToAll(op) => &op.axes,
            Collective::Permute(op) => &op.axes,
        }
    }
}
