#![allow(unsafe_code)]
//! Transfers between the memory of members and packed elements, which messages contain.

use super::{CollectiveExec, MemberBuffers};
use std::ops::Range;

/// Address of elements of a block.
#[derive(Clone, Copy)]
pub(super) enum Location {
    /// In the operand of a member of this process.
    Operand(usize),
    /// In the result of a member of this process.
    Result(usize),
    /// Packed, from the given address.
    Packed(*mut u8),
}

impl CollectiveExec {
    /// Combines the elements of some tiles of a block at several sources, or copies those of one, to all targets.
    /// Packed elements are in the order of the tiles.
    ///
    /// # Safety
    /// Sources are readable and targets writable for all elements of the tiles, and members of the sources and targets
    /// have buffers in this process.
    pub(super) unsafe fn transfer_tiles(
        &self,
        (work, tiles): (usize, Range<usize>),
        buffers: &[Option<MemberBuffers>],
        sources: &[Location],
        targets: &[Location],
    ) {
        let width = self.operand.dtype.bytes() as usize;
        let block = &self.works[work].block;
        let mut packed = 0;
        for number in tiles {
            let tile = block.tile(width, number);
            let bytes = tile.run.len() * width;
            for at in block.offsets(&tile) {
                let address = |location: &Location| match *location {
                    Location::Packed(start) => start.wrapping_add(packed),
                    Location::Operand(member) => buffers[member]
                        .map_or(std::ptr::null_mut(), |b| b.input.wrapping_add(at.input * width).cast_mut()),
                    Location::Result(member) => {
                        buffers[member].map_or(std::ptr::null_mut(), |b| b.output.wrapping_add(at.output * width))
                    }
                };
                // SAFETY: each address is the start of a row of the tiles.
                unsafe { self.transfer_row(sources, targets, address, tile.run.len(), false) };
                packed += bytes;
            }
        }
    }
}
