//! NCCL, over which several GPUs of NVIDIA meet: a table of its functions, and communicators.

#![allow(unsafe_code, reason = "NCCL is a library in C")]

use crate::collective::calls::{Call, Combine, Element};
use crate::library::{self, Found};
use partita_ir::diag::{Code, Diagnostic};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

/// What to install where there is no toolkit.
pub(crate) const WHEEL: &str = "pip install nvidia-nccl-cu12, and set PARTITA_CUDA to the virtual environment";

type Status = c_int;
type Communicator = *mut c_void;
type Stream = *mut c_void;

/// The library.
pub struct Nccl {
    found: Found,
    version: c_int,
    table: Table,
}

/// Its functions, as `nccl.h` has them.
struct Table {
    open: unsafe extern "C" fn(*mut Communicator, c_int, *const c_int) -> Status,
    close: unsafe extern "C" fn(Communicator) -> Status,
    text: unsafe extern "C" fn(Status) -> *const c_char,
    begin: unsafe extern "C" fn() -> Status,
    end: unsafe extern "C" fn() -> Status,
    all_reduce: unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Communicator, Stream) -> Status,
    all_gather: unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, Communicator, Stream) -> Status,
    reduce_scatter:
        unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Communicator, Stream) -> Status,
    broadcast: unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Communicator, Stream) -> Status,
    reduce:
        unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, c_int, Communicator, Stream) -> Status,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Communicator, Stream) -> Status,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Communicator, Stream) -> Status,
}

impl Nccl {
    /// The newest of the first place that has one.
    ///
    /// # Errors
    /// `R004` when there is none.
    pub fn open() -> Result<Nccl, Diagnostic> {
        let none = |why: String| {
            Diagnostic::new(Code::R004, "NCCL, over which GPUs meet, was not found").note(why).help(WHEEL)
        };
        let found = library::open("nccl").map_err(none)?;
        let table = || {
            Ok(Table {
                open: found.symbol("ncclCommInitAll")?,
                close: found.symbol("ncclCommDestroy")?,
                text: found.symbol("ncclGetErrorString")?,
                begin: found.symbol("ncclGroupStart")?,
                end: found.symbol("ncclGroupEnd")?,
                all_reduce: found.symbol("ncclAllReduce")?,
                all_gather: found.symbol("ncclAllGather")?,
                reduce_scatter: found.symbol("ncclReduceScatter")?,
                broadcast: found.symbol("ncclBroadcast")?,
                reduce: found.symbol("ncclReduce")?,
                send: found.symbol("ncclSend")?,
                receive: found.symbol("ncclRecv")?,
            })
        };
        let table = table().map_err(none)?;
        let version: unsafe extern "C" fn(*mut c_int) -> Status = found.symbol("ncclGetVersion").map_err(none)?;
        let mut number = 0;
        // SAFETY: it writes a number.
        unsafe { version(&mut number) };
        Ok(Nccl { found, version: number, table })
    }

    /// Its version, as in 2.27.5.
    pub fn version(&self) -> String {
        let number = self.version;
        format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
    }

    /// Where it lies.
    pub fn path(&self) -> &str {
        &self.found.at
    }

    /// Carries out calls of several GPUs together: none of them waits for another before all are made.
    ///
    /// # Errors
    /// `R004` with what the library says, and as the calls.
    pub fn together(&self, calls: impl FnOnce() -> Result<(), Diagnostic>) -> Result<(), Diagnostic> {
        // SAFETY: every beginning has its end.
        self.check(unsafe { (self.table.begin)() })?;
        let called = calls();
        // SAFETY: as above.
        let ended = self.check(unsafe { (self.table.end)() });
        called.and(ended)
    }

    fn check(&self, status: Status) -> Result<(), Diagnostic> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: it gives a text of the library's own.
        let text = unsafe { CStr::from_ptr((self.table.text)(status)) }.to_string_lossy().into_owned();
        let refused = Diagnostic::new(Code::R004, "NCCL does not do what it is asked for").note(text);
        Err(refused.help("NCCL_DEBUG=WARN lets it say more"))
    }
}

/// GPUs that meet: a communicator for each.
pub struct Clique {
    nccl: Arc<Nccl>,
    members: Vec<Communicator>,
}

impl Clique {
    /// Those GPUs, by their numbers.
    ///
    /// # Errors
    /// `R004` with what the library says.
    pub fn new(nccl: Arc<Nccl>, gpus: &[usize]) -> Result<Clique, Diagnostic> {
        let numbers: Vec<c_int> = gpus.iter().map(|&gpu| gpu as c_int).collect();
        let mut members = vec![null_mut(); gpus.len()];
        // SAFETY: there is room for as many communicators as there are numbers.
        let opened = unsafe { (nccl.table.open)(members.as_mut_ptr(), numbers.len() as c_int, numbers.as_ptr()) };
        nccl.check(opened)?;
        Ok(Clique { nccl, members })
    }

    /// A call of the member at a position, from and to addresses of its GPU, on a stream of it.
    ///
    /// # Errors
    /// `R004` with what the library says.
    ///
    /// # Safety
    /// What the call reads and writes is memory of the GPU until the stream is done with it.
    pub unsafe fn call(
        &self,
        position: usize,
        (call, count): (Call, usize),
        (element, combine): (Element, Combine),
        (from, to): (u64, u64),
        stream: Stream,
    ) -> Result<(), Diagnostic> {
        let Some(&member) = self.members.get(position) else {
            return Err(Diagnostic::new(Code::R004, format!("no GPU has position {position} of its group")));
        };
        let table = &self.nccl.table;
        let (from, to) = (from as *const c_void, to as *mut c_void);
        let element = match element {
            Element::I32 => 2,
            Element::U32 => 3,
            Element::F16 => 6,
            Element::F32 => 7,
            Element::Bf16 => 9,
        };
        let combine = match combine {
            Combine::Sum => 0,
            Combine::Product => 1,
            Combine::Max => 2,
            Combine::Min => 3,
        };
        // SAFETY: the communicator is open, and the rest is as promised.
        let called = unsafe {
            match call {
                Call::AllReduce => (table.all_reduce)(from, to, count, element, combine, member, stream),
                Call::AllGather => (table.all_gather)(from, to, count, element, member, stream),
                Call::ReduceScatter => (table.reduce_scatter)(from, to, count, element, combine, member, stream),
                Call::Broadcast { root } => (table.broadcast)(from, to, count, element, root as c_int, member, stream),
                Call::Reduce { root } => {
                    (table.reduce)(from, to, count, element, combine, root as c_int, member, stream)
                }
                Call::Send { to } => (table.send)(from, count, element, to as c_int, member, stream),
                Call::Receive { from } => (table.receive)(to, count, element, from as c_int, member, stream),
            }
        };
        self.nccl.check(called)
    }
}

impl Drop for Clique {
    fn drop(&mut self) {
        for &member in &self.members {
            // SAFETY: it was opened, and nobody has it any more. There is nobody to tell what goes wrong.
            unsafe { (self.nccl.table.close)(member) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Needs no GPU, and is looked at where there is a library.
    #[test]
    fn a_library_that_is_found_has_all_functions() {
        match Nccl::open() {
            Ok(nccl) => assert!(nccl.version().starts_with("2."), "{}", nccl.version()),
            Err(e) => assert!(e.notes[0].starts_with("libnccl.so is not in "), "{:?}", e.notes),
        }
    }
}
