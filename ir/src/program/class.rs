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
    /// What a device computes depends on its place along axes, without communication.
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
        match self {
            Class::Device(op) => Some(op.axes()),
            Class::Collective(collective) => Some(collective.axes()),
            Class::Source(_)
            | Class::Random
            | Class::Elementwise
            | Class::Movement
            | Class::Indexing
            | Class::Product
            | Class::Attention
            | Class::Reduction
            | Class::Sorting
            | Class::Normalisation
            | Class::Update
            | Class::Control(_)
            | Class::Layout(_) => None,
        }
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
#[allow(missing_docs)] // documented on the structs
pub enum SourceOp<'a> {
    Constant(&'a Constant),
    Iota(&'a Iota),
}

/// An operation that states a layout and leaves values as they are.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)] // documented on the structs
pub enum LayoutOp<'a> {
    Constrain(&'a Constrain),
    Reshard(&'a Reshard),
}

/// An operation that runs a function of the program whose values have layouts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Control<'a> {
    /// The body is run a number of times that is known ahead of time.
    Loop(&'a Loop),
}

/// An operation whose result depends on the device's place along axes.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)] // documented on the structs
pub enum DeviceOp<'a> {
    Shard(&'a Shard),
    Partial(&'a Partial),
    Mask(&'a Mask),
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
#[allow(missing_docs)] // documented on the structs
pub enum Collective<'a> {
    AllReduce(&'a AllReduce),
    AllGather(&'a AllGather),
    ReduceScatter(&'a ReduceScatter),
    AllToAll(&'a AllToAll),
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
