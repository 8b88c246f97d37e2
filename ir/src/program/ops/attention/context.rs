//! Context parallelism: attention whose sequence is sharded.

use crate::word_attr;

/// Exchange of keys and values between the devices that each have a shard of the sequence. The devices have the same
/// shard of the queries and of the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum ContextMethod {
    /// None: keys and values are replicated before the attention.
    #[default]
    Replicated,
    /// Shards of keys and values circulate among the devices, and each device merges the results of its queries (Ring
    /// Attention, Liu et al. 2023).
    Ring,
    /// Each device gathers all keys and values (Llama 3, Dubey et al. 2024, section 3.3.2).
    Gather,
}

impl ContextMethod {
    /// All values.
    pub const ALL: [ContextMethod; 3] = [ContextMethod::Replicated, ContextMethod::Ring, ContextMethod::Gather];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            ContextMethod::Replicated => "replicated",
            ContextMethod::Ring => "ring",
            ContextMethod::Gather => "gather",
        }
    }
}

word_attr!(ContextMethod, "an exchange of keys and values (replicated, ring, gather)", ContextMethod::ALL);
