//! Builder methods for images: padding with their own elements, and exchanges of channels for space.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::Shape;
use smallvec::smallvec;

/// Elements that extend a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgePadding {
    /// The elements next to the edge, in reverse order, without the edge.
    Reflect,
    /// The element at the edge.
    Repeat,
    /// The elements at the opposite edge.
    Wrap,
}

/// Order of the channels that become a block of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelOrder {
    /// Channels `[block, block, channel]`: those of one place in the block are adjacent.
    BlockFirst,
    /// Channels `[channel, block, block]`: those of one block are adjacent.
    ChannelFirst,
}

impl Builder<'_> {
    /// Appends `before` and `after` elements of `x` at the edges of `dim`.
    ///
    /// # Errors
    /// The dimension has too few elements.
    pub fn pad_with_elements(
        &mut self,
        x: ValueId,
        dim: usize,
        [before, after]: [usize; 2],
        padding: EdgePadding,
    ) -> Result<ValueId, String> {
        let shape = self.ty(x).shape;
        let n = shape[dim];
        let needed = match padding {
            EdgePadding::Reflect => before.max(after).saturating_add(1),
            EdgePadding::Repeat => 1,
            EdgePadding::Wrap => before.max(after),
        };
        if (before > 0 || after > 0) && n < needed {
            let what = format!("pads {shape} by {before} and {after} elements along dimension {dim}");
            return Err(format!("{what}, which needs {needed} elements"));
        }
        let last = n.saturating_sub(1);
        let slice = |b: &mut Self, start: usize, end: usize| match start < end {
            true => Some(b.slice_dim(x, dim, start, end)),
            false => None,
        };
        let (front, back) = match padding {
            EdgePadding::Reflect => {
                let front = slice(self, 1, before + 1);
                let back = slice(self, last.saturating_sub(after), last);
                let mut reversed = |part: Option<ValueId>| part.map(|part| self.reverse(part, smallvec![dim]));
                (reversed(front), reversed(back))
            }
            EdgePadding::Repeat => {
                let mut repeated = |at: usize, times: usize| {
                    let edge = slice(self, at, at + usize::from(times > 0))?;
                    let mut wide = shape.clone();
                    wide[dim] = times;
                    Some(self.expand(edge, &wide))
                };
                (repeated(0, before), repeated(last, after))
            }
            EdgePadding::Wrap => (slice(self, n - before.min(n), n), slice(self, 0, after)),
        };
        let parts: Vec<ValueId> = [front, Some(x), back].into_iter().flatten().collect();
        Ok(self.concatenate(&parts, dim))
    }

    /// Appends the rearrangement of `x: [.., channel, height, width]` that divides the channels by `block * block` and
    /// multiplies both sizes of space by `block`.
    ///
    /// # Errors
    /// The channels are not a multiple, or there are fewer than three dimensions.
    pub fn depth_to_space(&mut self, x: ValueId, block: usize, order: ChannelOrder) -> Result<ValueId, String> {
        let shape = self.ty(x).shape;
        let square = block.saturating_mul(block);
        let (lead, [c, h, w]) = split_image(&shape)
            .filter(|(_, [c, ..])| square > 0 && c.is_multiple_of(square))
            .ok_or_else(|| format!("divides the channels of {shape} into blocks of {block} x {block}"))?;
        let c = c / square;
        let (split, places) = match order {
            ChannelOrder::BlockFirst => ([block, block, c, h, w], [2, 3, 0, 4, 1]),
            ChannelOrder::ChannelFirst => ([c, block, block, h, w], [0, 3, 1, 4, 2]),
        };
        self.rearranged(x, lead, &split, places, &[c, h.saturating_mul(block), w.saturating_mul(block)])
    }

    /// Appends the inverse of [`Builder::depth_to_space`].
    ///
    /// # Errors
    /// A size of space is not a multiple of `block`, or there are fewer than three dimensions.
    pub fn space_to_depth(&mut self, x: ValueId, block: usize, order: ChannelOrder) -> Result<ValueId, String> {
        let shape = self.ty(x).shape;
        let is_multiple = |n: usize| block > 0 && n.is_multiple_of(block);
        let (lead, [c, h, w]) = split_image(&shape)
            .filter(|(_, [_, h, w])| is_multiple(*h) && is_multiple(*w))
            .ok_or_else(|| format!("divides {shape} into blocks of {block} x {block}"))?;
        let (h, w) = (h / block, w / block);
        let places = match order {
            ChannelOrder::BlockFirst => [2, 4, 0, 1, 3],
            ChannelOrder::ChannelFirst => [0, 2, 4, 1, 3],
        };
        let channels = c.saturating_mul(block).saturating_mul(block);
        self.rearranged(x, lead, &[c, h, block, w, block], places, &[channels, h, w])
    }

    /// Appends a reshape of the dimensions after the first `lead` to `split`, their transpose, and a reshape to
    /// `result`.
    fn rearranged(
        &mut self,
        x: ValueId,
        lead: usize,
        split: &[usize; 5],
        places: [usize; 5],
        result: &[usize; 3],
    ) -> Result<ValueId, String> {
        let shape = self.ty(x).shape;
        let with_lead = |sizes: &[usize]| -> Shape { shape[..lead].iter().chain(sizes).copied().collect() };
        let split = self.checked_reshape(x, with_lead(split))?;
        let perm = (0..lead).chain(places.map(|place| lead + place)).collect();
        let moved = self.transpose(split, perm);
        self.checked_reshape(moved, with_lead(result))
    }
}

/// Returns the number of leading dimensions of an image and its channels, height and width.
fn split_image(shape: &Shape) -> Option<(usize, [usize; 3])> {
    let lead = shape.rank().checked_sub(3)?;
    Some((lead, [shape[lead], shape[lead + 1], shape[lead + 2]]))
}
