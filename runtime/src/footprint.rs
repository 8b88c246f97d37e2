//! What a run takes of memory on each device. It is known before anything runs, and it is what is allocated.

use partita_ir::units::bytes;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Add;

/// Bytes that a run takes on one device. Prints as `2.0 KiB inputs, 1.0 KiB computed, 512 B outputs: 3.5 KiB in all`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Footprint {
    /// Bytes of one device's inputs, parameters among them.
    pub inputs: u64,
    /// Bytes of what it computes: one block, in which values share places.
    pub frame: u64,
    /// Bytes of outputs that do not lie where an input was.
    pub outputs: u64,
}

impl Footprint {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.inputs.saturating_add(self.frame).saturating_add(self.outputs)
    }
}

impl Add for Footprint {
    type Output = Footprint;

    /// That of two programs on the same devices.
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
        let [inputs, frame, outputs, total] = [self.inputs, self.frame, self.outputs, self.total()].map(bytes);
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
