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
            },
            Abi::Mpich => Constants {
                comm_world: Handle::Value(0x4400_0000),
                byte: Handle::Value(0x4c00_010d),
                errors_return: Handle::Value(0x5400_0001),
                any_source: -2,
                thread_funneled: 1,
                status_source: 2,
                status_ignore: 1,
            },
            Abi::Standard => Constants {
                comm_world: Handle::Value(0x101),
                byte: Handle::Value(0x247),
                errors_return: Handle::Value(0x143),
                any_source: -1,
                thread_funneled: 1024,
                status_source: 0,
                status_ignore: 0,
            },
        }
    }
}
