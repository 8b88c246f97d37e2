//! Bindings to the library: function table, and communicators of one process.

#![allow(unsafe_code, reason = "NCCL is a library in C")]

use super::functions::{
    CallArguments, CommunicatorAddress, Functions, IN_PROGRESS, INVALID_USAGE, SUCCESS, Status, StreamAddress, UniqueId,
};
use crate::collective::calls::{Call, ElementType, ReduceOp};
use crate::library::{self, LoadedLibrary};
use partita_ir::diag::{Code, Diagnostic};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Help for a machine without the CUDA toolkit.
pub(crate) const INSTALL_HELP: &str = "pip install nvidia-nccl-cu12, and set PARTITA_CUDA to the virtual environment";

type Communicator = *mut c_void;
type Stream = *mut c_void;

/// Oldest version whose functions serve several processes, as `ncclGetVersion` returns it.
const PROCESSES_VERSION: c_uint = 21_800;

/// `NCCL_CONFIG_UNDEF_INT`: the library chooses the value.
const UNDEFINED: c_int = c_int::MIN;

/// Configuration of a communicator, `ncclConfig_t` of version 2.18. Newer libraries read the size.
#[repr(C)]
struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
    blocking: c_int,
    cga_cluster_size: c_int,
    min_ctas: c_int,
    max_ctas: c_int,
    net_name: *const c_char,
    split_share: c_int,
}

impl Config {
    /// Configuration of communicators that do not block.
    const NON_BLOCKING: Config = Config {
        size: size_of::<Config>(),
        magic: 0xcafe_beef,
        version: PROCESSES_VERSION,
        blocking: 0,
        cga_cluster_size: UNDEFINED,
        min_ctas: UNDEFINED,
        max_ctas: UNDEFINED,
        net_name: std::ptr::null(),
        split_share: UNDEFINED,
    };
}

/// Returns the error for a missing library.
fn missing_library(why: String) -> Diagnostic {
    Diagnostic::new(Code::R004, "NCCL, over which GPUs communicate, was not found").note(why).help(INSTALL_HELP)
}

/// The loaded library.
pub struct Nccl {
    library: LoadedLibrary,
    version: c_int,
    table: Table,
    /// Functions for several processes, or the error of a library that is too old.
    process_table: Result<ProcessTable, String>,
}

/// Functions for several processes, with the types of `nccl.h`.
struct ProcessTable {
    unique_id: unsafe extern "C" fn(*mut UniqueId) -> Status,
    init_rank: unsafe extern "C" fn(*mut Communicator, c_int, UniqueId, c_int, *const Config) -> Status,
    split: unsafe extern "C" fn(Communicator, c_int, c_int, *mut Communicator, *const Config) -> Status,
    finalize: unsafe extern "C" fn(Communicator) -> Status,
    last_error: unsafe extern "C" fn(Communicator) -> *const c_char,
}

/// Function table, with the types of `nccl.h`.
struct Table {
    open: unsafe extern "C" fn(*mut Communicator, c_int, *const c_int) -> Status,
    close: unsafe extern "C" fn(Communicator) -> Status,
    abort: unsafe extern "C" fn(Communicator) -> Status,
    state: unsafe extern "C" fn(Communicator, *mut Status) -> Status,
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
        let version: unsafe extern "C" fn(*mut c_int) -> Status =
            library.symbol("ncclGetVersion").map_err(missing_library)?;
        let mut number = 0;
        // SAFETY: the function writes one number.
        unsafe { version(&mut number) };
        let process_table = || {
            Ok(ProcessTable {
                unique_id: library.symbol("ncclGetUniqueId")?,
                init_rank: library.symbol("ncclCommInitRankConfig")?,
                split: library.symbol("ncclCommSplit")?,
                finalize: library.symbol("ncclCommFinalize")?,
                last_error: library.symbol("ncclGetLastError")?,
            })
        };
        let process_table = process_table();
        Ok(Nccl { library, version: number, table, process_table })
    }

    /// Returns the version, such as `2.27.5`.
    pub fn version(&self) -> String {
        let number = self.version;
        format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
    }

    /// Returns the functions for several processes.
    ///
    /// # Errors
    /// `R004` if the library is older than version 2.18.
    pub fn for_processes(self) -> Result<Arc<dyn Functions>, Diagnostic> {
        match &self.process_table {
            Ok(_) => Ok(Arc::new(self)),
            Err(why) => {
                let title = format!("NCCL {} cannot connect several processes, which needs 2.18", self.version());
                Err(Diagnostic::new(Code::R004, title).note(why.clone()).help(INSTALL_HELP))
            }
        }
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

    fn check(&self, status: Status) -> Result<(), Diagnostic> {
        if status == SUCCESS {
            return Ok(());
        }
        let refused = Diagnostic::new(Code::R004, "NCCL reports an error").note(self.error_text(status));
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
        let arguments = CallArguments { call, count, element, combine, from, to };
        // SAFETY: the communicator is open, and the caller guarantees the rest.
        self.nccl.check(unsafe { self.nccl.table.call(member, &arguments, stream) })
    }
}

impl Table {
    /// Enqueues a call of a communicator on a stream.
    ///
    /// # Safety
    /// The contract of [`Functions::call`].
    unsafe fn call(&self, member: Communicator, arguments: &CallArguments, stream: Stream) -> Status {
        let CallArguments { call, count, element, combine, from, to } = *arguments;
        let (table, from, to) = (self, from as *const c_void, to as *mut c_void);
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
        // SAFETY: guaranteed by the caller.
        unsafe {
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
        }
    }
}

/// Returns the text of the library at an address.
///
/// # Safety
/// The address is null, or that of a text which is not changed meanwhile.
unsafe fn text_at(address: *const c_char) -> String {
    if address.is_null() {
        return String::new();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(address) }.to_string_lossy().into_owned()
}

impl Nccl {
    /// Calls a function for several processes, which [`Nccl::for_processes`] has found.
    fn with_processes(&self, call: impl FnOnce(&ProcessTable) -> Status) -> Status {
        self.process_table.as_ref().map_or(INVALID_USAGE, call)
    }
}

// The safety of all calls is the contract of the trait.
impl Functions for Nccl {
    fn error_text(&self, status: Status) -> String {
        // SAFETY: the function returns a static text of the library.
        unsafe { text_at((self.table.text)(status)) }
    }

    fn last_error(&self, communicator: CommunicatorAddress) -> String {
        // SAFETY: the text belongs to the library, and only the next error changes it.
        self.process_table
            .as_ref()
            .map_or(String::new(), |table| unsafe { text_at((table.last_error)(communicator as Communicator)) })
    }

    fn unique_id(&self, id: &mut UniqueId) -> Status {
        // SAFETY: the function writes one identifier.
        self.with_processes(|table| unsafe { (table.unique_id)(id) })
    }

    fn group_start(&self) -> Status {
        // SAFETY: the function has no parameters.
        unsafe { (self.table.begin)() }
    }

    fn group_end(&self) -> Status {
        // SAFETY: as above.
        unsafe { (self.table.end)() }
    }

    unsafe fn init_rank(&self, communicator: &AtomicUsize, count: usize, id: &UniqueId, rank: usize) -> Status {
        let (to, config) = (communicator.as_ptr().cast(), std::ptr::from_ref(&Config::NON_BLOCKING));
        // SAFETY: guaranteed by the caller.
        self.with_processes(|table| unsafe { (table.init_rank)(to, count as c_int, *id, rank as c_int, config) })
    }

    unsafe fn split(&self, parent: CommunicatorAddress, color: c_int, key: c_int, child: &AtomicUsize) -> Status {
        let (parent, to) = (parent as Communicator, child.as_ptr().cast());
        // SAFETY: guaranteed by the caller. Without a configuration, the child has that of its parent.
        self.with_processes(|table| unsafe { (table.split)(parent, color, key, to, std::ptr::null()) })
    }

    unsafe fn async_error(&self, communicator: CommunicatorAddress, state: &mut Status) -> Status {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.table.state)(communicator as Communicator, state) }
    }

    unsafe fn finalize(&self, communicator: CommunicatorAddress) -> Status {
        // SAFETY: guaranteed by the caller.
        self.with_processes(|table| unsafe { (table.finalize)(communicator as Communicator) })
    }

    unsafe fn destroy(&self, communicator: CommunicatorAddress) -> Status {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.table.close)(communicator as Communicator) }
    }

    unsafe fn abort(&self, communicator: CommunicatorAddress) -> Status {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.table.abort)(communicator as Communicator) }
    }

    unsafe fn call(
        &self,
        communicator: CommunicatorAddress,
        arguments: &CallArguments,
        stream: StreamAddress,
    ) -> Status {
        // SAFETY: guaranteed by the caller.
        unsafe { self.table.call(communicator as Communicator, arguments, stream as Stream) }
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
    use crate::nccl::functions::NO_COLOR;
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
        typedef struct { char internal[128]; } Id;
        typedef struct { size_t size; unsigned magic, version; int blocking, cluster, least, most; const char* net; int share; } Config;
        int ncclGetUniqueId(Id* id) { for (int i = 0; i < 128; i++) id->internal[i] = i; return 0; }
        int ncclCommInitRankConfig(C* c, int n, Id id, int rank, Config* g) {
            int undefined = -2147483647 - 1;
            if (g->size != sizeof(Config) || g->magic != 0xcafebeef || g->version != 21800 || g->blocking || g->net) return 4;
            if (g->cluster != undefined || g->least != undefined || g->most != undefined || g->share != undefined) return 4;
            for (int i = 0; i < 128; i++) if (id.internal[i] != i) return 4;
            if (n != 5 || rank != 3) return 4;
            *c = (C)77; opened++; return 7;
        }
        int ncclCommSplit(C c, int color, int key, C* child, Config* g) {
            if (c != (C)77 || g) return 4;
            *child = color == -1 ? NULL : (C)(size_t)(100 + 10 * color + key); return 7;
        }
        int ncclCommFinalize(C c) { return c == (C)77 ? 7 : 4; }
        const char* ncclGetLastError(C c) { return c == (C)77 ? "a cable is missing" : ""; }
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

    #[test]
    fn functions_for_processes_pass_the_arguments_of_the_header() {
        let nccl = fake("processes");
        let functions: &dyn Functions = &*nccl;
        assert!(nccl.process_table.is_ok());
        let mut id = UniqueId([0; 128]);
        assert_eq!(functions.unique_id(&mut id), SUCCESS);
        let (world, child, none) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(1));
        // SAFETY: the fake library accesses no other memory than these variables.
        unsafe {
            assert_eq!(functions.init_rank(&world, 5, &id, 3), IN_PROGRESS);
            let world = world.load(Ordering::SeqCst);
            assert_eq!(functions.split(world, 2, 1, &child), IN_PROGRESS);
            assert_eq!(functions.split(world, NO_COLOR, 0, &none), IN_PROGRESS);
            assert_eq!((child.load(Ordering::SeqCst), none.load(Ordering::SeqCst)), (121, 0));
            assert_eq!(
                (functions.last_error(world), functions.last_error(0)),
                ("a cable is missing".into(), "".into())
            );
            let mut state = INVALID_USAGE;
            assert_eq!((functions.async_error(world, &mut state), state), (SUCCESS, SUCCESS));
            assert_eq!([functions.finalize(world), functions.abort(world)], [IN_PROGRESS, SUCCESS]);
            assert_eq!(functions.destroy(121), SUCCESS);
        }
        assert_eq!(counts(&nccl), [1, 1, 1]);
    }

    /// Needs no GPU; checks symbols only if the library is installed.
    #[test]
    fn an_installed_library_has_all_functions() {
        match Nccl::open() {
            Ok(nccl) => {
                assert!(nccl.version().starts_with("2."), "{}", nccl.version());
                assert!(nccl.for_processes().is_ok());
            }
            Err(e) => assert!(e.notes[0].starts_with("libnccl.so is not in "), "{:?}", e.notes),
        }
    }
}
