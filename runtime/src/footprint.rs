//! Memory of a run on each device, computed before the run and allocated exactly.

use partita_ir::units::format_bytes;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Add;

/// Memory of a run on one device, in bytes. Displayed as `2.0 KiB inputs, 1.0 KiB computed, 512 B outputs: 3.5 KiB in
/// all`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Footprint {
    /// Bytes of the inputs of one device, including parameters.
    pub inputs: u64,
    /// Bytes of the frame: the memory of intermediate values, which values with disjoint live ranges share.
    pub frame: u64,
    /// Bytes of outputs that do not overwrite an input.
    pub outputs: u64,
}

impl Footprint {
    /// Returns the total number of bytes.
    pub fn total(&self) -> u64 {
        self.inputs.saturating_add(self.frame).saturating_add(self.outputs)
    }
}

impl Add for Footprint {
    type Output = Footprint;

    /// Returns the footprint of two programs on the same devices.
    fn add(self, other: Footprint) -> Footprint {
        Footprint {
            inputs: self.inputs.saturating_add(other.inputs),
            frame: self.frame.saturating_add(other.frame),
            outputs: self.outputs.saturating_add(other.outputs),
        }
    }
}

impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [inputs, frame, outputs, total] = [self.inputs, self.frame, self.outputs, self.total()].map(format_bytes);
        write!(f, "{inputs} inputs, {frame} computed, {outputs} outputs: {total} in all")
    }
}

impl Serialize for Footprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Footprint", 4)?;
        object.serialize_field("input_bytes", &self.inputs)?;
        object.serialize_field("computed_bytes", &self.frame)?;
        object.serialize_field("output_bytes", &self.outputs)?;
        object.serialize_field("total_bytes", &self.total())?;
        object.end()
    }
}
