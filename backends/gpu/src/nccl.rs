//! NCCL, over which several GPUs of NVIDIA meet: a table of its functions, and communicators.

#![allow(unsafe_code, reason = "NCCL is a library in C")]

use crate::collective::calls::{Call, Combine, Element};
use crate::library::{self, Found};
use partita_ir::diag::{Code, Diagnostic};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to install where there is no toolkit.
pub(crate) const WHEEL: &str = "pip install nvidia-nccl-cu12, and set PARTITA_CUDA to the virtual environment";

type Status = c_int;
type Communicator = *mut c_void;
type Stream = *mut c_void;

/// The state of a communicator whose calls are still being made.
const IN_PROGRESS: Status = 7;

/// Why there is no library.
fn none(why: String) -> Diagnostic {
    Diagnostic::new(Code::R004, "NCCL, over which GPUs meet, was not found").note(why).help(WHEEL)
}

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
    /// The newest of the first place that has one.
    ///
    /// # Errors
    /// `R004` when there is none.
    pub fn open() -> Result<Nccl, Diagnostic> {
        Nccl::of(library::open("nccl").map_err(none)?)
    }

    /// That of a library.
    fn of(found: Found) -> Result<Nccl, Diagnostic> {
        let table = || {
            Ok(Table {
                open: found.symbol("ncclCommInitAll")?,
                close: found.symbol("ncclCommDestroy")?,
                abort: found.symbol("ncclCommAbort")?,
                state: found.symbol("ncclCommGetAsyncError")?,
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
    /// Whether nobody meets here any more.
    is_aborted: AtomicBool,
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
        Ok(Clique { nccl, members, is_aborted: AtomicBool::new(false) })
    }

    /// Checks what the members have noticed since they were called.
    ///
    /// # Errors
    /// `R004` with what the library says.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.is_open()?;
        for &member in &self.members {
            let mut state = 0;
            // SAFETY: the communicator is open, and a number is written.
            self.nccl.check(unsafe { (self.nccl.table.state)(member, &mut state) })?;
            if state != IN_PROGRESS {
                self.nccl.check(state)?;
            }
        }
        Ok(())
    }

    /// Ends what the members are at, so that no GPU waits for another one any more. They never meet again.
    pub fn abort(&self) {
        if self.is_aborted.swap(true, Ordering::SeqCst) {
            return;
        }
        for &member in &self.members {
            // SAFETY: it is open, and nobody calls it from here on. There is nobody to tell what goes wrong.
            unsafe { (self.nccl.table.abort)(member) };
        }
    }

    fn is_open(&self) -> Result<(), Diagnostic> {
        if !self.is_aborted.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(Diagnostic::new(Code::R004, "these GPUs do not meet any more: a collective failed before"))
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
        self.is_open()?;
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
        // Aborting has closed them.
        if *self.is_aborted.get_mut() {
            return;
        }
        for &member in &self.members {
            // SAFETY: it was opened, and nobody has it any more. There is nobody to tell what goes wrong.
            unsafe { (self.nccl.table.close)(member) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A library that fails as it is told to, and counts.
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
        let nccl = Nccl::of(library::load(to.to_str().unwrap()).unwrap()).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        Arc::new(nccl)
    }

    /// How many communicators were opened, closed and aborted.
    fn counts(nccl: &Nccl) -> [c_int; 3] {
        let count: unsafe extern "C" fn(c_int) -> c_int = nccl.found.symbol("fake_count").unwrap();
        // SAFETY: the fake library has it.
        [0, 1, 2].map(|which| unsafe { count(which) })
    }

    fn call(clique: &Clique, count: usize) -> Result<(), Diagnostic> {
        let kind = (Element::F32, Combine::Sum);
        // SAFETY: the fake library touches no memory.
        unsafe { clique.call(1, (Call::AllReduce, count), kind, (0, 0), null_mut()) }
    }

    #[test]
    fn communicators_are_closed_or_aborted_once() {
        let nccl = fake("once");
        let clique = Clique::new(nccl.clone(), &[0, 1, 2]).unwrap();
        call(&clique, 4).unwrap();
        clique.check().unwrap();
        drop(clique);
        assert_eq!(counts(&nccl), [3, 3, 0]);
        let clique = Clique::new(nccl.clone(), &[0, 1]).unwrap();
        assert_eq!(call(&clique, 13).unwrap_err().notes, ["internal error"]);
        clique.abort();
        clique.abort();
        let refused = "these GPUs do not meet any more: a collective failed before";
        assert_eq!(call(&clique, 4).unwrap_err().title, refused);
        assert_eq!(clique.check().unwrap_err().title, refused);
        drop(clique);
        assert_eq!(counts(&nccl), [5, 3, 2]);
    }

    #[test]
    fn what_members_notice_later_is_an_error() {
        let nccl = fake("later");
        let state: unsafe extern "C" fn(c_int) = nccl.found.symbol("fake_state").unwrap();
        let clique = Clique::new(nccl.clone(), &[0, 1]).unwrap();
        // SAFETY: the fake library has it.
        unsafe { state(IN_PROGRESS) };
        clique.check().unwrap();
        // SAFETY: as above.
        unsafe { state(6) };
        assert_eq!(clique.check().unwrap_err().notes, ["remote process exited or there was a network error"]);
    }

    /// Needs no GPU, and is looked at where there is a library.
    #[test]
    fn a_library_that_is_found_has_all_functions() {
        match Nccl::open() {
            Ok(nccl) => assert!(nccl.version().starts_with("2."), "{}", nccl.version()),
            Err(e) => assert!(e.notes[0].starts_with("libnccl.so is not in "), "{:?}", e.notes),
        }
    }
}
