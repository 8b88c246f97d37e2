//! The MPI library: its file, its binary interface and its functions.
#![allow(unsafe_code, reason = "calls of functions that are loaded at run time")]

use super::abi::{Abi, Constants, Handle};
use super::collectives::Functions;
use libloading::os::unix::{Library as Loaded, RTLD_GLOBAL, RTLD_NOW};
use partita_ir::diag::{Code, Diagnostic, with_causes};
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

/// Variable with the path of the library.
pub(super) const PATH_VARIABLE: &str = "PARTITA_MPI";

/// Names of libraries, in the order in which they are tried.
const NAMES: [&str; 5] = ["libmpi.so.40", "libmpi_abi.so.1", "libmpi.so.12", "libmpich.so.12", "libmpi.so"];

/// Largest length of a version text, of every MPI.
const MAX_TEXT: usize = 8192;

/// Words of a status, which is smaller in every ABI.
pub(super) type Status = [i32; 16];

type IntoInt = unsafe extern "C" fn(usize, *mut c_int) -> c_int;
type Transfer = unsafe extern "C" fn(*const c_void, c_int, usize, c_int, c_int, usize, *mut usize) -> c_int;

/// File and version of a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MpiVersion {
    /// Path or name of the file.
    pub path: String,
    /// Binary interface.
    pub abi: Abi,
    /// First line of the text that the library returns.
    pub text: String,
}

/// Loaded MPI library.
pub struct Library {
    // Functions are valid while the library is loaded.
    _loaded: Loaded,
    version: MpiVersion,
    pub(super) constants: Constants,
    pub(super) comm_world: usize,
    pub(super) byte: usize,
    errors_return: usize,
    init_thread: unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int) -> c_int,
    finalize: unsafe extern "C" fn() -> c_int,
    comm_rank: IntoInt,
    comm_size: IntoInt,
    set_errhandler: unsafe extern "C" fn(usize, usize) -> c_int,
    error_string: unsafe extern "C" fn(c_int, *mut c_char, *mut c_int) -> c_int,
    isend: Transfer,
    irecv: Transfer,
    test: unsafe extern "C" fn(*mut usize, *mut c_int, usize) -> c_int,
    iprobe: unsafe extern "C" fn(c_int, c_int, usize, *mut c_int, *mut i32) -> c_int,
    pub(super) collectives: Functions,
}

impl Library {
    /// Loads the library that `PARTITA_MPI` names, or the one beside the launcher, or an installed one.
    ///
    /// # Errors
    /// `R005` when there is none, or it lacks a function.
    pub fn open(launcher: Option<&str>) -> Result<Library, Diagnostic> {
        let named = std::env::var(PATH_VARIABLE).ok();
        let candidates = match &named {
            Some(path) => vec![path.clone()],
            None => beside_launcher(launcher).into_iter().chain(NAMES.map(str::to_owned)).collect(),
        };
        let mut reasons = Vec::new();
        for path in candidates {
            // SAFETY: initialisers of an MPI library have no preconditions.
            match unsafe { Loaded::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) } {
                Ok(loaded) => return Library::with_functions(loaded, path),
                Err(why) => reasons.push(with_causes(&why)),
            }
        }
        let title = match named {
            Some(path) => format!("`{path}`, which `{PATH_VARIABLE}` names, cannot be loaded"),
            None => "no MPI library was found".to_owned(),
        };
        let error = Diagnostic::new(Code::R005, title);
        let error = reasons.iter().fold(error, |error, why| error.note(why.clone()));
        Err(error
            .help(format!("install Open MPI or MPICH, set `{PATH_VARIABLE}` to the library, or pass `--ranks tcp`")))
    }

    fn with_functions(loaded: Loaded, path: String) -> Result<Library, Diagnostic> {
        // SAFETY: only the addresses of the symbols are used.
        let has = |name: &str| unsafe { loaded.get::<*const c_void>(name).is_ok() };
        let abi = match () {
            () if has("ompi_mpi_comm_world") => Abi::OpenMpi,
            () if has("MPI_Abi_get_version") && path.contains("mpi_abi") => Abi::Standard,
            () => Abi::Mpich,
        };
        let constants = abi.constants();
        let handle = |handle: Handle| word(&loaded, handle, &path);
        let (comm_world, byte) = (handle(constants.comm_world)?, handle(constants.byte)?);
        let errors_return = handle(constants.errors_return)?;
        let get_version: unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int =
            function(&loaded, "MPI_Get_library_version", &path)?;
        let text = read_text(|text, length| {
            // SAFETY: the buffer is as long as the longest text, and the function may be called before initialisation.
            unsafe { get_version(text, length) }
        });
        let text = text.lines().next().unwrap_or_default().trim_end_matches(['\0', ',']).to_owned();
        Ok(Library {
            version: MpiVersion { path: path.clone(), abi, text },
            constants,
            comm_world,
            byte,
            errors_return,
            init_thread: function(&loaded, "MPI_Init_thread", &path)?,
            finalize: function(&loaded, "MPI_Finalize", &path)?,
            comm_rank: function(&loaded, "MPI_Comm_rank", &path)?,
            comm_size: function(&loaded, "MPI_Comm_size", &path)?,
            set_errhandler: function(&loaded, "MPI_Comm_set_errhandler", &path)?,
            error_string: function(&loaded, "MPI_Error_string", &path)?,
            isend: function(&loaded, "MPI_Isend", &path)?,
            irecv: function(&loaded, "MPI_Irecv", &path)?,
            test: function(&loaded, "MPI_Test", &path)?,
            iprobe: function(&loaded, "MPI_Iprobe", &path)?,
            collectives: Functions::load(&loaded, &abi.constants(), &path)?,
            _loaded: loaded,
        })
    }

    /// Returns the file and version of the library.
    pub fn version(&self) -> &MpiVersion {
        &self.version
    }

    /// Initialises MPI for calls of this thread. Returns the rank and the number of ranks.
    pub(super) fn initialise(&self) -> Result<(usize, usize), String> {
        let (mut provided, mut rank, mut count) = (0, 0, 0);
        let (no_arguments, no_values) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the library is initialised once, by the thread that makes all calls.
        unsafe {
            let code = (self.init_thread)(no_arguments, no_values, self.constants.thread_funneled, &raw mut provided);
            self.check(code)?;
            self.check((self.set_errhandler)(self.comm_world, self.errors_return))?;
            self.check((self.comm_rank)(self.comm_world, &raw mut rank))?;
            self.check((self.comm_size)(self.comm_world, &raw mut count))?;
        }
        Ok((rank.max(0) as usize, count.max(1) as usize))
    }

    /// Lets a communicator return errors.
    pub(super) fn return_errors(&self, communicator: usize) -> Result<(), String> {
        // SAFETY: the communicator exists.
        self.check(unsafe { (self.set_errhandler)(communicator, self.errors_return) })
    }

    /// Ends MPI. All ranks must call it.
    pub(super) fn finalise(&self) {
        // SAFETY: no communication is in progress.
        unsafe { (self.finalize)() };
    }

    /// Starts to send bytes. Returns the request.
    ///
    /// # Safety
    /// The bytes exist unchanged until the request is complete.
    pub(super) unsafe fn send(&self, bytes: &[u8], to: usize, tag: c_int) -> Result<usize, String> {
        let mut request = 0;
        let (start, count) = (bytes.as_ptr().cast(), bytes.len() as c_int);
        // SAFETY: guaranteed by the caller.
        self.check(unsafe {
            (self.isend)(start, count, self.byte, to as c_int, tag, self.comm_world, &raw mut request)
        })?;
        Ok(request)
    }

    /// Starts to receive bytes. Returns the request.
    ///
    /// # Safety
    /// The bytes exist, and are not accessed, until the request is complete.
    pub(super) unsafe fn receive(&self, bytes: &mut [u8], from: usize, tag: c_int) -> Result<usize, String> {
        let mut request = 0;
        let (start, count) = (bytes.as_mut_ptr().cast_const().cast(), bytes.len() as c_int);
        // SAFETY: guaranteed by the caller; the function writes to the bytes.
        let code =
            unsafe { (self.irecv)(start, count, self.byte, from as c_int, tag, self.comm_world, &raw mut request) };
        self.check(code)?;
        Ok(request)
    }

    /// Returns true if a request is complete. Makes progress.
    pub(super) fn is_complete(&self, request: &mut usize) -> Result<bool, String> {
        let mut done = 0;
        // SAFETY: the request was started and has not been complete.
        self.check(unsafe { (self.test)(request, &raw mut done, self.constants.status_ignore) })?;
        Ok(done != 0)
    }

    /// Returns the source of a message with a tag that can be received. Makes progress.
    pub(super) fn probe(&self, tag: c_int) -> Result<Option<usize>, String> {
        let (mut found, mut status) = (0, Status::default());
        let any = self.constants.any_source;
        // SAFETY: the status is larger than that of any ABI.
        let code = unsafe { (self.iprobe)(any, tag, self.comm_world, &raw mut found, status.as_mut_ptr()) };
        self.check(code)?;
        Ok((found != 0).then(|| status[self.constants.status_source].max(0) as usize))
    }

    pub(super) fn check(&self, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the buffer is as long as the longest text.
        Err(read_text(|text, length| unsafe { (self.error_string)(code, text, length) }))
    }
}

/// Returns a function of the library. `F` is its type, which is the same in every MPI, with handles as words.
pub(super) fn function<F: Copy>(loaded: &Loaded, name: &str, path: &str) -> Result<F, Diagnostic> {
    // SAFETY: guaranteed by the MPI standard and the width of handles.
    let found = unsafe { loaded.get::<F>(name) };
    found.map(|symbol| *symbol).map_err(|_| missing(name, path))
}

/// Returns the word of a handle.
pub(super) fn word(loaded: &Loaded, handle: Handle, path: &str) -> Result<usize, Diagnostic> {
    match handle {
        Handle::Value(value) => Ok(value),
        Handle::Symbol(name) => address(loaded, name, path),
    }
}

/// Returns the address of a symbol.
fn address(loaded: &Loaded, name: &str, path: &str) -> Result<usize, Diagnostic> {
    // SAFETY: only the address is used.
    let found = unsafe { loaded.get::<*const c_void>(name) };
    found.map(|symbol| symbol.into_raw().addr()).map_err(|_| missing(name, path))
}

fn missing(name: &str, path: &str) -> Diagnostic {
    Diagnostic::new(Code::R005, format!("{path} is not an MPI library: it has no `{name}`"))
}

/// Returns the text that a function writes.
fn read_text(write: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> String {
    let (mut text, mut length) = (vec![0u8; MAX_TEXT], 0);
    write(text.as_mut_ptr().cast(), &raw mut length);
    String::from_utf8_lossy(&text[..(length.max(0) as usize).min(MAX_TEXT)]).into_owned()
}

/// Returns the paths of libraries in the installation of the `mpirun` or `mpiexec` that is found first, if its launcher
/// started this process: a second MPI on this machine does not know the ranks.
fn beside_launcher(launcher: Option<&str>) -> Vec<String> {
    if launcher.is_none() {
        return Vec::new();
    }
    let prefix = std::env::var("OPAL_PREFIX").ok();
    let folders =
        std::env::var_os("PATH").map(|all| std::env::split_paths(&all).collect::<Vec<_>>()).unwrap_or_default();
    let found = folders.iter().find(|folder| folder.join("mpirun").exists() || folder.join("mpiexec").exists());
    let root = prefix.or_else(|| Some(found?.parent()?.display().to_string()));
    let Some(root) = root else { return Vec::new() };
    let candidates = NAMES.iter().map(|name| Path::new(&root).join("lib").join(name));
    candidates.filter(|path| path.exists()).map(|path| path.display().to_string()).collect()
}
