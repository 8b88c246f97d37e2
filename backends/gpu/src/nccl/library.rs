//! Bindings to NCCL, the library for communication between NVIDIA GPUs: function table and communicators.

#![allow(unsafe_code, reason = "NCCL is a library in C")]

use crate::collective::calls::{Call, ElementType, ReduceOp};
use crate::library::{self, LoadedLibrary};
use partita_ir::diag::{Code, Diagnostic};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Help for a machine without the CUDA toolkit.
pub(crate) const INSTALL_HELP: &str = "pip install nvidia-nccl-cu12, and set PARTITA_CUDA to the virtual environment";

type NcclStatus = c_int;
type Communicator = *mut c_void;
type Stream = *mut c_void;

/// `ncclInProgress`: the state of a communicator with unfinished non-blocking calls.
const IN_PROGRESS: NcclStatus = 7;

/// Returns the error for a missing library.
fn missing_library(why: String) -> Diagnostic {
    Diagnostic::new(Code::R004, "NCCL, over which GPUs communicate, was not found").note(why).help(INSTALL_HELP)
}

/// The loaded library.
pub struct Nccl {
    library: LoadedLibrary,
    version: c_int,
    table: Table,
}

/// Function table, with the types of `nccl.h`.
struct Table {
    open: unsafe extern "C" fn(*mut Communicator, c_int, *const c_int) -> NcclStatus,
    close: unsafe extern "C" fn(Communicator) -> NcclStatus,
    abort: unsafe extern "C" fn(Communicator) -> NcclStatus,
    state: unsafe extern "C" fn(Communicator, *mut NcclStatus) -> NcclStatus,
    text: unsafe extern "C" fn(NcclStatus) -> *const c_char,
    begin: unsafe extern "C" fn() -> NcclStatus,
    end: unsafe extern "C" fn() -> NcclStatus,
    all_reduce:
        unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Communicator, Stream) -> NcclStatus,
    all_gather: unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, Communicator, Stream) -> NcclStatus,
    reduce_scatter:
        unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Communicator, Stream) -> NcclStatus,
    broadcast:
        unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Communicator, Stream) -> NcclStatus,
    reduce: unsafe extern "C" fn(
        *const c_void,
        *mut c_void,
        usize,
        c_int,
        c_int,
        c_int,
        Communicator,
        Stream,
    ) -> NcclStatus,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Communicator, Stream) -> NcclStatus,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Communicator, Stream) -> NcclStatus,
}

impl Nccl {
    /// Opens the newest version in the first search directory that has one.
    ///
    /// # Errors
    /// `R004` if the library is not found.
    pub fn open() -> Result<Nccl, Diagnostic> {
        Nccl::from_library(library::open("nccl").map_err(missing_library)?)
    }

    /// Resolves the functions of a library.
    fn from_library(library: LoadedLibrary) -> Result<Nccl, Diagnostic> {
        let table = || {
            Ok(Table {
                open: library.symbol("ncclCommInitAll")?,
                close: library.symbol("ncclCommDestroy")?,
                abort: library.symbol("ncclCommAbort")?,
                state: library.symbol("ncclCommGetAsyncError")?,
                text: library.symbol("ncclGetErrorString")?,
                begin: library.symbol("ncclGroupStart")?,
                end: library.symbol("ncclGroupEnd")?,
                all_reduce: library.symbol("ncclAllReduce")?,
                all_gather: library.symbol("ncclAllGather")?,
                reduce_scatter: library.symbol("ncclReduceScatter")?,
                broadcast: library.symbol("ncclBroadcast")?,
                reduce: library.symbol("ncclReduce")?,
                send: library.symbol("ncclSend")?,
                receive: library.symbol("ncclRecv")?,
            })
        };
        let table = table().map_err(missing_library)?;
        let version: unsafe extern "C" fn(*mut c_int) -> NcclStatus =
            library.symbol("ncclGetVersion").map_err(missing_library)?;
        let mut number = 0;
        // SAFETY: the function writes one number.
        unsafe { version(&mut number) };
        Ok(Nccl { library, version: number, table })
    }

    /// Returns the version, such as `2.27.5`.
    pub fn version(&self) -> String {
        let number = self.version;
        format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
    }

    /// Returns the path of the library.
    pub fn path(&self) -> &str {
        &self.library.path
    }

    /// Issues calls of several GPUs as one group, so that none of them blocks before all are issued.
    ///
    /// # Errors
    /// `R004` with the library's error, and as the calls.
    pub fn group(&self, calls: impl FnOnce() -> Result<(), Diagnostic>) -> Result<(), Diagnostic> {
        // SAFETY: every start of a group is followed by its end.
        self.check(unsafe { (self.table.begin)() })?;
        let called = calls();
        // SAFETY: as above.
        let ended = self.check(unsafe { (self.table.end)() });
        called.and(ended)
    }

    fn check(&self, status: NcclStatus) -> Result<(), Diagnostic> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the function returns a static text of the library.
        let text = unsafe { CStr::from_ptr((self.table.text)(status)) }.to_string_lossy().into_owned();
        let refused = Diagnostic::new(Code::R004, "NCCL reports an error").note(text);
        Err(refused.help("set NCCL_DEBUG=WARN for details"))
    }
}

/// A group of GPUs with a communicator for each.
pub struct CommunicatorGroup {
    nccl: Arc<Nccl>,
    members: Vec<Communicator>,
    /// True after [`CommunicatorGroup::abort`].
    is_aborted: AtomicBool,
}

impl CommunicatorGroup {
    /// Opens communicators between GPUs, given by their CUDA device numbers.
    ///
    /// # Errors
    /// `R004` with the library's error.
    pub fn new(nccl: Arc<Nccl>, gpus: &[usize]) -> Result<CommunicatorGroup, Diagnostic> {
        let numbers: Vec<c_int> = gpus.iter().map(|&gpu| gpu as c_int).collect();
        let mut members = vec![null_mut(); gpus.len()];
        // SAFETY: there is room for one communicator per GPU.
        let opened = unsafe { (nccl.table.open)(members.as_mut_ptr(), numbers.len() as c_int, numbers.as_ptr()) };
        nccl.check(opened)?;
        Ok(CommunicatorGroup { nccl, members, is_aborted: AtomicBool::new(false) })
    }

    /// Checks for asynchronous errors of the communicators.
    ///
    /// # Errors
    /// `R004` with the library's error.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.check_open()?;
        for &member in &self.members {
            let mut state = 0;
            // SAFETY: the communicator is open, and the function writes one number.
            self.nccl.check(unsafe { (self.nccl.table.state)(member, &mut state) })?;
            if state != IN_PROGRESS {
                self.nccl.check(state)?;
            }
        }
        Ok(())
    }

    /// Aborts all calls, so that no GPU waits for another. Later calls fail.
    pub fn abort(&self) {
        if self.is_aborted.swap(true, Ordering::SeqCst) {
            return;
        }
        for &member in &self.members {
            // SAFETY: the communicator is open and not used afterwards. Errors of an abort cannot be handled.
            unsafe { (self.nccl.table.abort)(member) };
        }
    }

    fn check_open(&self) -> Result<(), Diagnostic> {
        if !self.is_aborted.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(Diagnostic::new(Code::R004, "these GPUs no longer communicate: a collective failed before"))
    }

    /// Enqueues a call of the member at a position on a stream of its GPU, with the given operand and result addresses.
    ///
    /// # Errors
    /// `R004` with the library's error.
    ///
    /// # Safety
    /// The operand and result are memory of the GPU until the stream has finished the call.
    pub unsafe fn call(
        &self,
        position: usize,
        (call, count): (Call, usize),
        (element, combine): (ElementType, ReduceOp),
        (from, to): (u64, u64),
        stream: Stream,
    ) -> Result<(), Diagnostic> {
        self.check_open()?;
        let Some(&member) = self.members.get(position) else {
            return Err(Diagnostic::new(Code::R004, format!("no GPU has position {position} of its group")));
        };
        let table = &self.nccl.table;
        let (from, to) = (from as *const c_void, to as *mut c_void);
        let element = match element {
            ElementType::I32 => 2,
            ElementType::U32 => 3,
            ElementType::F16 => 6,
            ElementType::F32 => 7,
            ElementType::Bf16 => 9,
        };
        let combine = match combine {
            ReduceOp::Sum => 0,
            ReduceOp::Product => 1,
            ReduceOp::Max => 2,
            ReduceOp::Min => 3,
        };
        // SAFETY: the communicator is open, and the caller guarantees the rest.
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

impl Drop for CommunicatorGroup {
    fn drop(&mut self) {
        // Aborting destroys the communicators.
        if *self.is_aborted.get_mut() {
            return;
        }
        for &member in &self.members {
            // SAFETY: the communicator was opened and is not used afterwards. Errors in drop cannot be reported.
            unsafe { (self.nccl.table.close)(member) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A fake NCCL that returns configured errors and counts communicators.
    const FAKE: &str = r#"
        #include <stddef.h>
        typedef void* C;
        static int state, opened, closed, aborted;
        void fake_state(int s) { state = s; }
        int fake_count(int which) { return which == 0 ? opened : which == 1 ? closed : aborted; }
        int ncclGetVersion(int* v) { *v = 22705; return 0; }
        const char* ncclGetErrorString(int s) { return s == 6 ? "remote process exited or there was a network error" : "internal error"; }
        int ncclCommInitAll(C* c, int n, const int* g) { for (int i = 0; i < n; i++) c[i] = (C)(size_t)(i + 1); opened += n; return 0; }
        int ncclCommDestroy(C c) { closed++; return 0; }
        int ncclCommAbort(C c) { aborted++; return 0; }
        int ncclCommGetAsyncError(C c, int* s) { *s = state; return 0; }
        int ncclGroupStart(void) { return 0; }
        int ncclGroupEnd(void) { return 0; }
        int ncclAllReduce(const void* a, void* b, size_t n, int t, int o, C c, void* s) { return n == 13 ? 3 : 0; }
        int ncclAllGather(const void* a, void* b, size_t n, int t, C c, void* s) { return 0; }
        int ncclReduceScatter(const void* a, void* b, size_t n, int t, int o, C c, void* s) { return 0; }
        int ncclBroadcast(const void* a, void* b, size_t n, int t, int r, C c, void* s) { return 0; }
        int ncclReduce(const void* a, void* b, size_t n, int t, int o, int r, C c, void* s) { return 0; }
        int ncclSend(const void* a, size_t n, int t, int p, C c, void* s) { return 0; }
        int ncclRecv(void* a, size_t n, int t, int p, C c, void* s) { return 0; }
    "#;

    fn fake(name: &str) -> Arc<Nccl> {
        let folder = std::env::temp_dir().join(format!("partita-nccl-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (from, to) = (folder.join("fake.c"), folder.join("libnccl.so"));
        std::fs::write(&from, FAKE).unwrap();
        let built = Command::new("cc").args(["-w", "-shared", "-fPIC", "-o"]).arg(&to).arg(&from).status();
        assert!(built.unwrap().success());
        let nccl = Nccl::from_library(library::load(to.to_str().unwrap()).unwrap()).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        Arc::new(nccl)
    }

    /// Returns the numbers of opened, closed and aborted communicators.
    fn counts(nccl: &Nccl) -> [c_int; 3] {
        let count: unsafe extern "C" fn(c_int) -> c_int = nccl.library.symbol("fake_count").unwrap();
        // SAFETY: the fake library has a function of this type.
        [0, 1, 2].map(|which| unsafe { count(which) })
    }

    fn call(group: &CommunicatorGroup, count: usize) -> Result<(), Diagnostic> {
        let kind = (ElementType::F32, ReduceOp::Sum);
        // SAFETY: the fake library accesses no memory.
        unsafe { group.call(1, (Call::AllReduce, count), kind, (0, 0), null_mut()) }
    }

    #[test]
    fn communicators_are_closed_or_aborted_once() {
        let nccl = fake("once");
        let group = CommunicatorGroup::new(nccl.clone(), &[0, 1, 2]).unwrap();
        call(&group, 4).unwrap();
        group.check().unwrap();
        drop(group);
        assert_eq!(counts(&nccl), [3, 3, 0]);
        let group = CommunicatorGroup::new(nccl.clone(), &[0, 1]).unwrap();
        assert_eq!(call(&group, 13).unwrap_err().notes, ["internal error"]);
        group.abort();
        group.abort();
        let refused = "these GPUs no longer communicate: a collective failed before";
        assert_eq!(call(&group, 4).unwrap_err().title, refused);
        assert_eq!(group.check().unwrap_err().title, refused);
        drop(group);
        assert_eq!(counts(&nccl), [5, 3, 2]);
    }

    #[test]
    fn asynchronous_errors_are_reported() {
        let nccl = fake("later");
        let state: unsafe extern "C" fn(c_int) = nccl.library.symbol("fake_state").unwrap();
        let group = CommunicatorGroup::new(nccl.clone(), &[0, 1]).unwrap();
        // SAFETY: the fake library has a function of this type.
        unsafe { state(IN_PROGRESS) };
        group.check().unwrap();
        // SAFETY: as above.
        unsafe { state(6) };
        assert_eq!(group.check().unwrap_err().notes, ["remote process exited or there was a network error"]);
    }

    /// Needs no GPU; checks symbols only if the library is installed.
    #[test]
    fn an_installed_library_has_all_functions() {
        match Nccl::open() {
            Ok(nccl) => assert!(nccl.version().starts_with("2."), "{}", nccl.version()),
            Err(e) => assert!(e.notes[0].starts_with("libnccl.so is not in "), "{:?}", e.notes),
        }
    }
}
