//! Constants and the layout of a status, by binary interface.
//!
//! Handles are addresses in Open MPI and integers in MPICH and in the standard ABI (MPI 5.0, chapter 20). Both fit into
//! a word and are passed as one.

/// Binary interface of an MPI library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abi {
    /// Open MPI.
    OpenMpi,
    /// MPICH and its derivatives: Intel MPI, MVAPICH, Cray MPICH.
    Mpich,
    /// The ABI that MPI 5.0 specifies.
    Standard,
}

/// Constants of a binary interface.
pub(super) struct Constants {
    pub(super) comm_world: Handle,
    pub(super) byte: Handle,
    pub(super) errors_return: Handle,
    pub(super) any_source: i32,
    /// Level of thread support in which one thread makes all calls.
    pub(super) thread_funneled: i32,
    /// Index of the source in a status, in 32-bit words.
    pub(super) status_source: usize,
    /// Address that stands for an ignored status.
    pub(super) status_ignore: usize,
    /// Address that stands for an operand in the memory of the result.
    pub(super) in_place: usize,
    /// Element types of reductions.
    pub(super) elements: Elements,
    /// Operators: sum, maximum and minimum.
    pub(super) operators: [Handle; 3],
}

/// Handles of the types of elements that operators combine. There are none for `f16` and `bf16`.
pub(super) struct Elements {
    pub(super) f32: Handle,
    pub(super) f64: Handle,
    /// Signed integers of 8, 16, 32 and 64 bits.
    pub(super) signed: [Handle; 4],
    /// Unsigned integers of 8, 16, 32 and 64 bits.
    pub(super) unsigned: [Handle; 4],
}

/// Predefined handle.
#[derive(Clone, Copy)]
pub(super) enum Handle {
    /// Address of a symbol of the library.
    Symbol(&'static str),
    /// Value.
    Value(usize),
}

impl Abi {
    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Abi::OpenMpi => "Open MPI",
            Abi::Mpich => "MPICH",
            Abi::Standard => "MPI 5.0",
        }
    }

    pub(super) fn constants(self) -> Constants {
        match self {
            Abi::OpenMpi => Constants {
                comm_world: Handle::Symbol("ompi_mpi_comm_world"),
                byte: Handle::Symbol("ompi_mpi_byte"),
                errors_return: Handle::Symbol("ompi_mpi_errors_return"),
                any_source: -1,
                thread_funneled: 1,
                status_source: 0,
                status_ignore: 0,
                in_place: 1,
                elements: Elements {
                    f32: Handle::Symbol("ompi_mpi_float"),
                    f64: Handle::Symbol("ompi_mpi_double"),
                    signed: ["ompi_mpi_int8_t", "ompi_mpi_int16_t", "ompi_mpi_int32_t", "ompi_mpi_int64_t"]
                        .map(Handle::Symbol),
                    unsigned: ["ompi_mpi_uint8_t", "ompi_mpi_uint16_t", "ompi_mpi_uint32_t", "ompi_mpi_uint64_t"]
                        .map(Handle::Symbol),
                },
                operators: ["ompi_mpi_op_sum", "ompi_mpi_op_max", "ompi_mpi_op_min"].map(Handle::Symbol),
            },
            Abi::Mpich => Constants {
                comm_world: Handle::Value(0x4400_0000),
                byte: Handle::Value(0x4c00_010d),
                errors_return: Handle::Value(0x5400_0001),
                any_source: -2,
                thread_funneled: 1,
                status_source: 2,
                status_ignore: 1,
                in_place: usize::MAX,
                elements: Elements {
                    f32: Handle::Value(0x4c00_040a),
                    f64: Handle::Value(0x4c00_080b),
                    signed: [0x4c00_0137, 0x4c00_0238, 0x4c00_0439, 0x4c00_083a].map(Handle::Value),
                    unsigned: [0x4c00_013b, 0x4c00_023c, 0x4c00_043d, 0x4c00_083e].map(Handle::Value),
                },
                operators: [0x5800_0003, 0x5800_0001, 0x5800_0002].map(Handle::Value),
            },
            Abi::Standard => Constants {
                comm_world: Handle::Value(0x101),
                byte: Handle::Value(0x247),
                errors_return: Handle::Value(0x143),
                any_source: -1,
                thread_funneled: 1024,
                status_source: 0,
                status_ignore: 0,
                in_place: 1,
                elements: Elements {
                    f32: Handle::Value(0x210),
                    f64: Handle::Value(0x214),
                    signed: [0x240, 0x248, 0x250, 0x258].map(Handle::Value),
                    unsigned: [0x241, 0x249, 0x251, 0x259].map(Handle::Value),
                },
                operators: [0x21, 0x23, 0x22].map(Handle::Value),
            },
        }
    }
}
