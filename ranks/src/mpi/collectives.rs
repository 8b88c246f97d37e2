//! Nonblocking collectives of MPI, on a communicator for each group of devices.
#![allow(unsafe_code, reason = "calls of functions that are loaded at run time")]

use super::abi::{Constants, Elements, Handle};
use super::library::{Library, function, word};
use libloading::os::unix::Library as Loaded;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_runtime::processes::native::{NativeBuffers, NativeOp};
use std::ffi::{c_int, c_void};

/// Tag of the creation of communicators.
const CREATION_TAG: c_int = 3;

type GroupInclude = unsafe extern "C" fn(usize, c_int, *const c_int, *mut usize) -> c_int;
type CreateGroup = unsafe extern "C" fn(usize, usize, c_int, *mut usize) -> c_int;
type Reduce = unsafe extern "C" fn(*const c_void, *mut c_void, c_int, usize, usize, usize, *mut usize) -> c_int;
type Exchange =
    unsafe extern "C" fn(*const c_void, c_int, usize, *mut c_void, c_int, usize, usize, *mut usize) -> c_int;

/// Functions and handles of collectives.
pub(super) struct Functions {
    comm_group: unsafe extern "C" fn(usize, *mut usize) -> c_int,
    group_include: GroupInclude,
    group_free: unsafe extern "C" fn(*mut usize) -> c_int,
    create_group: CreateGroup,
    all_reduce: Reduce,
    reduce_scatter: Reduce,
    all_gather: Exchange,
    all_to_all: Exchange,
    elements: Vec<(DType, usize)>,
    operators: [usize; 3],
}

impl Functions {
    /// Loads the functions.
    pub(super) fn load(loaded: &Loaded, constants: &Constants, path: &str) -> Result<Functions, Diagnostic> {
        let handle = |handle: Handle| word(loaded, handle, path);
        let Elements { f32, f64, signed, unsigned } = constants.elements;
        let signed_types = [DType::I8, DType::I16, DType::I32, DType::I64].into_iter().zip(signed);
        let unsigned_types = [DType::U8, DType::U16, DType::U32, DType::U64].into_iter().zip(unsigned);
        let types = [(DType::F32, f32), (DType::F64, f64)].into_iter().chain(signed_types).chain(unsigned_types);
        let elements = types.map(|(dtype, of)| Ok((dtype, handle(of)?))).collect::<Result<_, Diagnostic>>()?;
        let [sum, max, min] = constants.operators;
        Ok(Functions {
            comm_group: function(loaded, "MPI_Comm_group", path)?,
            group_include: function(loaded, "MPI_Group_incl", path)?,
            group_free: function(loaded, "MPI_Group_free", path)?,
            create_group: function(loaded, "MPI_Comm_create_group", path)?,
            all_reduce: function(loaded, "MPI_Iallreduce", path)?,
            reduce_scatter: function(loaded, "MPI_Ireduce_scatter_block", path)?,
            all_gather: function(loaded, "MPI_Iallgather", path)?,
            all_to_all: function(loaded, "MPI_Ialltoall", path)?,
            elements,
            operators: [handle(sum)?, handle(max)?, handle(min)?],
        })
    }

    /// Returns the element type of a reduction.
    fn element(&self, dtype: DType) -> Result<usize, String> {
        let found = self.elements.iter().find(|(known, _)| *known == dtype);
        found.map(|(_, handle)| *handle).ok_or_else(|| format!("MPI does not combine elements of {dtype}"))
    }

    /// Returns the operator of a reduction.
    fn operator(&self, monoid: Monoid) -> Result<usize, String> {
        let [sum, max, min] = self.operators;
        match monoid {
            Monoid::Sum => Ok(sum),
            Monoid::Max => Ok(max),
            Monoid::Min => Ok(min),
            Monoid::Prod | Monoid::And | Monoid::Or => Err(format!("MPI is not used for `{}`", monoid.name())),
        }
    }
}

/// Returns true if MPI has the collective, with parts of the given size: counts have 32 bits.
pub(super) fn supports(op: NativeOp, part_bytes: usize) -> bool {
    let fits = part_bytes > 0 && i32::try_from(part_bytes).is_ok();
    match op {
        NativeOp::AllReduce(monoid, dtype) | NativeOp::ReduceScatter(monoid, dtype) => fits && combines(monoid, dtype),
        NativeOp::AllGather | NativeOp::AllToAll => fits,
    }
}

/// Returns true if MPI combines elements with the same results as Partita, except for the order.
fn combines(monoid: Monoid, dtype: DType) -> bool {
    let (is_float, is_int) = match dtype {
        DType::F32 | DType::F64 => (true, false),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => (false, true),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => (false, true),
        // There are no operators for these types.
        DType::F16 | DType::BF16 | DType::Mini(_) | DType::Bool => (false, false),
        DType::I4 | DType::I2 | DType::U4 | DType::U2 => (false, false),
    };
    match monoid {
        Monoid::Sum => is_float || is_int,
        // The result of MPI for a NaN is not specified.
        Monoid::Max | Monoid::Min => is_int,
        Monoid::Prod | Monoid::And | Monoid::Or => false,
    }
}

impl Library {
    /// Creates a communicator of some ranks, in the given order. Waits for all of them.
    pub(super) fn create_communicator(&self, ranks: &[usize]) -> Result<usize, String> {
        let ranks: Vec<c_int> = ranks.iter().map(|&rank| rank as c_int).collect();
        let functions = &self.collectives;
        let (mut world, mut group, mut communicator) = (0, 0, 0);
        // SAFETY: handles are written before they are read, and the ranks exist.
        unsafe {
            self.check((functions.comm_group)(self.comm_world, &raw mut world))?;
            self.check((functions.group_include)(world, ranks.len() as c_int, ranks.as_ptr(), &raw mut group))?;
            let created = (functions.create_group)(self.comm_world, group, CREATION_TAG, &raw mut communicator);
            self.check(created)?;
            self.check((functions.group_free)(&raw mut group))?;
            self.check((functions.group_free)(&raw mut world))?;
        }
        self.return_errors(communicator)?;
        Ok(communicator)
    }

    /// Starts a collective. Returns the request.
    ///
    /// # Safety
    /// The memory of the buffers exists, and is not accessed, until the request is complete. It has the sizes that
    /// [`NativeBuffers`] specifies for the number of ranks of the communicator.
    pub(super) unsafe fn start_collective(
        &self,
        op: NativeOp,
        part_bytes: usize,
        buffers: &mut NativeBuffers,
        communicator: usize,
    ) -> Result<usize, String> {
        let functions = &self.collectives;
        let mut request = 0;
        let send: *const c_void = match buffers.send.as_bytes() {
            [] => std::ptr::without_provenance(self.constants.in_place),
            bytes => bytes.as_ptr().cast(),
        };
        let receive: *mut c_void = buffers.receive.as_mut_bytes().as_mut_ptr().cast();
        let elements = |dtype: DType| (part_bytes / dtype.bytes() as usize) as c_int;
        let (bytes, byte) = (part_bytes as c_int, self.byte);
        let request_at = &raw mut request;
        // SAFETY: guaranteed by the caller.
        let code = unsafe {
            match op {
                NativeOp::AllReduce(monoid, dtype) => {
                    let (element, operator) = (functions.element(dtype)?, functions.operator(monoid)?);
                    let count = elements(dtype);
                    (functions.all_reduce)(send, receive, count, element, operator, communicator, request_at)
                }
                NativeOp::ReduceScatter(monoid, dtype) => {
                    let (element, operator) = (functions.element(dtype)?, functions.operator(monoid)?);
                    let count = elements(dtype);
                    (functions.reduce_scatter)(send, receive, count, element, operator, communicator, request_at)
                }
                NativeOp::AllGather => {
                    (functions.all_gather)(send, bytes, byte, receive, bytes, byte, communicator, request_at)
                }
                NativeOp::AllToAll => {
                    (functions.all_to_all)(send, bytes, byte, receive, bytes, byte, communicator, request_at)
                }
            }
        };
        self.check(code)?;
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::supports;
    use partita_ir::dtype::DType;
    use partita_ir::layout::Monoid;
    use partita_runtime::processes::native::NativeOp;

    #[test]
    fn sums_of_narrow_floats_and_large_parts_are_not_supported() {
        let sum = |dtype| NativeOp::AllReduce(Monoid::Sum, dtype);
        assert!(supports(sum(DType::F32), 12) && supports(sum(DType::U8), 1));
        assert!(!supports(sum(DType::BF16), 12) && !supports(sum(DType::F16), 12) && !supports(sum(DType::Bool), 12));
        assert!(!supports(sum(DType::F32), 1 << 31) && supports(NativeOp::AllGather, (1 << 31) - 1));
        assert!(supports(NativeOp::ReduceScatter(Monoid::Max, DType::I32), 8));
        assert!(!supports(NativeOp::ReduceScatter(Monoid::Max, DType::F32), 8));
    }
}
