//! Connection with the other processes that a launcher started: `mpirun`, `srun`, `torchrun` or `partita launch`.
//!
//! [`launcher`] reads the rank and the number of ranks from the environment. [`mpi`] loads an MPI library at run time;
//! without one, processes connect by TCP. [`launch`] is the launcher.

pub mod findings;
pub mod launch;
pub mod launcher;
pub mod mpi;

use launcher::Launched;
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::processes::Processes;
use partita_runtime::processes::tcp::{Rendezvous, TcpWire};
use partita_runtime::processes::wire::Wire;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Time within which all ranks must connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(300);

/// Transport between ranks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Transport {
    /// Transport of the launcher; one process without a launcher.
    #[default]
    Auto,
    /// MPI.
    Mpi,
    /// TCP connections.
    Tcp,
    /// NCCL between GPUs, whose processes find each other by the transport of the launcher.
    Nccl,
    /// One process, whatever the launcher.
    None,
}

impl FromStr for Transport {
    type Err = String;

    fn from_str(text: &str) -> Result<Transport, String> {
        let all = [Transport::Auto, Transport::Mpi, Transport::Tcp, Transport::Nccl, Transport::None];
        let mut found = all.into_iter().filter(|transport| transport.to_string() == text);
        found.next().ok_or_else(|| format!("`{text}` is not one of auto, mpi, tcp, nccl and none"))
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Transport::Auto => "auto",
            Transport::Mpi => "mpi",
            Transport::Tcp => "tcp",
            Transport::Nccl => "nccl",
            Transport::None => "none",
        })
    }
}

/// Connects this process with the other ranks. A rank that gives no sign of life for `longest_silence` is lost. Returns
/// `None` for a single process.
///
/// # Errors
/// `R005` when a transport is requested without its launcher, the MPI library does not match the launcher, or a rank
/// does not connect in time.
pub fn connect(transport: Transport, longest_silence: Duration) -> Result<Option<Arc<Processes>>, Diagnostic> {
    let launched = launcher::detect(&|name| std::env::var(name).ok())?;
    let has_mpi = match (transport, &launched) {
        (Transport::None, _) | (Transport::Auto, None) => return Ok(None),
        (Transport::Nccl, None) => {
            let title = "`--ranks nccl` needs a launcher, which starts a process for each GPU";
            return Err(Diagnostic::new(Code::R005, title)
                .help("start the command by `partita launch -n N -- run ...`, `mpirun`, `srun` or `torchrun`")
                .help("leave `--ranks` out: one process runs all GPUs of this host"));
        }
        (Transport::Auto | Transport::Nccl, Some(launched)) if launched.count == 1 => return Ok(None),
        (Transport::Auto | Transport::Nccl, Some(launched)) => launched.has_mpi,
        (Transport::Mpi, _) => true,
        (Transport::Tcp, _) => false,
    };
    let wire: Arc<dyn Wire> = match has_mpi {
        true => Arc::new(mpi::MpiWire::connect(launched.as_ref())?),
        false => Arc::new(TcpWire::connect(&rendezvous(launched)?)?),
    };
    let processes = Processes::new(wire, longest_silence);
    processes.exchange_hosts()?;
    Ok(Some(processes))
}

/// Returns the address at which ranks find each other by TCP.
fn rendezvous(launched: Option<Launched>) -> Result<Rendezvous, Diagnostic> {
    let missing = |what: &str| {
        Diagnostic::new(Code::R005, format!("`--ranks tcp` needs {what}"))
            .help("start each rank with `RANK`, `WORLD_SIZE`, `MASTER_ADDR` and `MASTER_PORT`, as `torchrun` does")
    };
    let launched = launched.ok_or_else(|| missing("a launcher"))?;
    let (host, port) = launched.master.ok_or_else(|| missing("`MASTER_ADDR` and `MASTER_PORT`"))?;
    let Launched { rank: index, count, local_count, .. } = launched;
    Ok(Rendezvous { index, count, local_count, host, port, timeout: CONNECT_TIMEOUT })
}
