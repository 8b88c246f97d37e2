//! Classes of operations, the coarsest distinction that analyses make.
//!
//! Each op states its class in its own file, so that analyses by class also cover ops added later.

use crate::dtype::DType;
use crate::mesh::Axes;
use crate::program::op::OpKind;
use crate::program::ops::{
    AllGather, AllReduce, AllToAll, Attention, AttentionGrad, Constant, Constrain, ContextMethod, CustomCall, Iota,
    Loop, Mask, OptionalOperands, Partial, Permute, ReduceScatter, Reshard, Shard, ShardStart,
};

/// Class of computation of an operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Class<'a> {
    /// The op itself contains its result: constants and iota.
    Source(SourceOp<'a>),
    /// Pseudo-random number generation.
    Random,
    /// Element `i` of the result is a function of elements `i` of the operands.
    Elementwise,
    /// Elements of the operands at other positions, given by attributes: reshape, transpose, pad, slice.
    Movement,
    /// Elements of the operands at positions given by an operand: gather, scatter, dynamic slices.
    Indexing,
    /// Sums of products over contracting dimensions: matrix products and convolutions.
    Product,
    /// Attention and its gradient: two or more products in sequence.
    Attention(AttentionOp<'a>),
    /// Reduction of dimensions or windows.
    Reduction,
    /// Sorting and selection of the largest elements.
    Sorting,
    /// Fourier transforms, factorizations of matrices and triangular systems, each along undivided dimensions.
    LinearAlgebra,
    /// Statistics along dimensions followed by elementwise functions of them: softmax, normalisations, cross-entropy.
    Normalisation,
    /// Optimizer step.
    Update,
    /// Call of a function that is not part of the program.
    Opaque(&'a CustomCall),
    /// Calls of functions of the program.
    Control(Control<'a>),
    /// Identity on values; specifies a layout.
    Layout(LayoutOp<'a>),
    /// Result depends on the device's position along mesh axes, without communication.
    Device(DeviceOp<'a>),
    /// Communication between devices.
    Collective(Collective<'a>),
}

impl<'a> Class<'a> {
    /// Returns the op if this is [`Class::Source`].
    pub fn source(self) -> Option<SourceOp<'a>> {
        if let Class::Source(source) = self { Some(source) } else { None }
    }

    /// Returns the op if this is [`Class::Attention`].
    pub fn attention(self) -> Option<AttentionOp<'a>> {
        if let Class::Attention(op) = self { Some(op) } else { None }
    }

    /// Returns the op if this is [`Class::Collective`].
    pub fn collective(self) -> Option<Collective<'a>> {
        if let Class::Collective(collective) = self { Some(collective) } else { None }
    }

    /// Returns the op if this is [`Class::Control`].
    pub fn control(self) -> Option<Control<'a>> {
        if let Class::Control(control) = self { Some(control) } else { None }
    }

    /// Returns the op if this is [`Class::Layout`].
    pub fn layout(self) -> Option<LayoutOp<'a>> {
        if let Class::Layout(op) = self { Some(op) } else { None }
    }

    /// Returns the op if this is [`Class::Opaque`].
    pub fn opaque(self) -> Option<&'a CustomCall> {
        if let Class::Opaque(call) = self { Some(call) } else { None }
    }

    /// Returns the op if this is [`Class::Device`].
    pub fn device(self) -> Option<DeviceOp<'a>> {
        if let Class::Device(op) = self { Some(op) } else { None }
    }

    /// Returns the mesh axes among the op's attributes; `None` for classes without such attributes.
    pub fn axes(self) -> Option<&'a Axes> {
        self.collective().map(Collective::axes).or_else(|| self.device().map(DeviceOp::axes))
    }

    /// Returns true if the op specifies a layout and computes nothing.
    pub fn states_layout(self) -> bool {
        matches!(self, Class::Layout(_))
    }

    /// Returns true if the op is a contraction: its work grows faster than its input and output, and matrix units may
    /// execute it.
    pub fn contracts(self) -> bool {
        matches!(self, Class::Product | Class::Attention(_))
    }
}

/// An operation without operands whose attributes determine the result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SourceOp<'a> {
    /// Listed numbers.
    Constant(&'a Constant),
    /// Index along a dimension.
    Iota(&'a Iota),
}

/// Attention or its gradient.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AttentionOp<'a> {
    /// Attention.
    Forward(&'a Attention),
    /// Gradients of attention.
    Gradient(&'a AttentionGrad),
}

impl AttentionOp<'_> {
    /// Returns true for the gradient.
    pub fn is_gradient(self) -> bool {
        match self {
            AttentionOp::Forward(_) => false,
            AttentionOp::Gradient(_) => true,
        }
    }

    /// Returns the attention that the gradient belongs to, or the attention itself.
    pub fn attention(self) -> Attention {
        match self {
            AttentionOp::Forward(op) => op.clone(),
            AttentionOp::Gradient(op) => op.attention(),
        }
    }

    /// Returns the op with another exchange of keys and values.
    pub fn with_context(self, context: ContextMethod) -> OpKind {
        match self {
            AttentionOp::Forward(op) => Attention { context, ..op.clone() }.into(),
            AttentionOp::Gradient(op) => AttentionGrad { context, ..op.clone() }.into(),
        }
    }

    /// Returns the number of required operands, which precede the optional ones.
    pub fn required_operands(self) -> usize {
        match self {
            AttentionOp::Forward(_) => 3,
            AttentionOp::Gradient(_) => 5,
        }
    }

    /// Returns the optional operands among the operands of the op. `None` for operands of an invalid op.
    pub fn optional_operands<T: Copy>(self, args: &[T], dtype: impl Fn(T) -> DType) -> Option<OptionalOperands<T>> {
        OptionalOperands::from_slice(args.get(self.required_operands()..)?, dtype).ok()
    }
}

/// An operation that is the identity on values and specifies a layout.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LayoutOp<'a> {
    /// Layout constraint of the user.
    Constrain(&'a Constrain),
    /// Layout change that is not lowered to collectives yet.
    Reshard(&'a Reshard),
}

impl LayoutOp<'_> {
    /// Returns true if the op is a layout change inserted by the partitioner.
    pub fn is_reshard(self) -> bool {
        match self {
            LayoutOp::Reshard(_) => true,
            LayoutOp::Constrain(_) => false,
        }
    }
}

/// An operation that calls a function of the program whose values have layouts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Control<'a> {
    /// Calls the body a fixed number of times.
    Loop(&'a Loop),
}

/// An operation whose result depends on the device's position along mesh axes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DeviceOp<'a> {
    /// Slices the device's shard out of a replicated value.
    Shard(&'a Shard),
    /// Converts a replicated value to a partial sum: one device retains the value, the others have the identity of the
    /// sum.
    Partial(&'a Partial),
    /// Overwrites the padding of the device's shard.
    Mask(&'a Mask),
    /// Returns the index of the first element of the device's shard.
    ShardStart(&'a ShardStart),
}

impl<'a> DeviceOp<'a> {
    /// Returns the mesh axes that the result depends on.
    pub fn axes(self) -> &'a Axes {
        match self {
            DeviceOp::Shard(op) => &op.axes,
            DeviceOp::Partial(op) => &op.axes,
            DeviceOp::Mask(op) => &op.axes,
            DeviceOp::ShardStart(op) => &op.axes,
        }
    }
}

/// An operation that communicates between devices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Collective<'a> {
    /// Each device receives the combination of all devices' values.
    AllReduce(&'a AllReduce),
    /// Each device receives the shards of all devices.
    AllGather(&'a AllGather),
    /// Each device receives its shard of the combination of all devices' values.
    ReduceScatter(&'a ReduceScatter),
    /// Each device receives one shard of every device's value.
    AllToAll(&'a AllToAll),
    /// Devices exchange values in pairs (collective permute).
    Permute(&'a Permute),
}

impl<'a> Collective<'a> {
    /// Returns true if the op supports several operands, with one result each.
    pub fn is_variadic(self) -> bool {
        match self {
            Collective::AllReduce(_) => true,
            Collective::AllGather(_) | Collective::ReduceScatter(_) => false,
            Collective::AllToAll(_) | Collective::Permute(_) => false,
        }
    }

    /// Returns true if results may be stored in the operand buffers: element `i` of a result depends on elements `i`
    /// only.
    pub fn may_overwrite(self) -> bool {
        match self {
            Collective::AllReduce(_) => true,
            Collective::AllGather(_) | Collective::ReduceScatter(_) => false,
            Collective::AllToAll(_) | Collective::Permute(_) => false,
        }
    }

    /// Returns the mesh axes along which devices communicate.
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
