//! Launcher of ranks on this host and others, which connect by TCP.
//!
//! A job ends when all its ranks have ended. When one fails, the others learn of it and end by themselves; those that
//! do not are killed after `GRACE`.

pub mod control;
mod rank_process;

use partita_ir::diag::{Code, Diagnostic};
use rank_process::RankProcess;
pub use rank_process::{Job, LOCAL_HOST};
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

/// Time after the failure of a rank within which the others end by themselves.
const GRACE: Duration = Duration::from_secs(3);

/// Time between looks at the ranks.
const POLL: Duration = Duration::from_millis(10);

/// First of the ports at which ranks on several hosts find each other, and the number of choices.
const PORTS: (u16, u32) = (20_000, 4_000);

/// Reason why a rank ended before its work was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A signal.
    Signal(i32),
    /// An exit code.
    Code(i32),
    /// No end after another rank had failed, as of a stopped process.
    Unresponsive,
}

/// First failure of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankFailure {
    /// Number of the rank.
    pub rank: usize,
    /// Name of the host.
    pub host: String,
    /// Reason.
    pub cause: Cause,
    /// Error output, unless rank 0 has reported the failure.
    pub output: String,
}

impl RankFailure {
    /// Returns true if the same job could succeed when it is started again: the machine failed, not the program.
    pub fn is_transient(&self) -> bool {
        // 255 is the exit code of an agent that does not reach its host.
        let is_unreachable = self.host != LOCAL_HOST && self.cause == Cause::Code(255);
        is_unreachable || is_consequence(self.cause) || matches!(self.cause, Cause::Signal(_) | Cause::Unresponsive)
    }
}

/// Runs a job to its end. Once `is_stop_requested`, asks the ranks to stop after their current step. Returns the
/// failure, if there is one.
///
/// # Errors
/// `R005` when a rank cannot be started.
pub fn run(job: &Job<'_>, is_stop_requested: &dyn Fn() -> bool) -> Result<Option<RankFailure>, Diagnostic> {
    let mut ranks = start(job)?;
    let (mut is_asked, mut failed_at, mut root) = (false, None::<Instant>, None);
    loop {
        for (rank, process) in ranks.iter_mut().enumerate().filter(|(_, process)| process.status.is_none()) {
            if process.has_ended() && process.status.is_some_and(|status| !status.success()) {
                failed_at.get_or_insert_with(Instant::now);
                if root.is_none_or(|(_, cause)| is_consequence(cause)) {
                    root = Some((rank, cause(process)));
                }
            }
        }
        if ranks.iter().all(|process| process.status.is_some()) {
            break;
        }
        if !is_asked && is_stop_requested() {
            is_asked = true;
            ranks.iter_mut().for_each(RankProcess::ask_to_pause);
        }
        if failed_at.is_some_and(|at| at.elapsed() > GRACE) {
            for (rank, process) in ranks.iter_mut().enumerate().filter(|(_, process)| process.status.is_none()) {
                if root.is_none_or(|(_, cause)| is_consequence(cause)) {
                    root = Some((rank, Cause::Unresponsive));
                }
                process.kill();
            }
            break;
        }
        std::thread::sleep(POLL);
    }
    let Some((rank, cause)) = root else { return Ok(None) };
    let has_failed = ranks[0].status.is_some_and(|status| status.code().is_some_and(|code| code != 0));
    let has_reported = has_failed && !ranks[0].is_killed;
    let output = if has_reported { String::new() } else { ranks[rank].take_output() };
    Ok(Some(RankFailure { rank, host: ranks[rank].host.clone(), cause, output }))
}

/// Starts all ranks, or none.
fn start(job: &Job<'_>) -> Result<Vec<RankProcess>, Diagnostic> {
    let master = match job.hosts.first().map(String::as_str) {
        None | Some(LOCAL_HOST) if job.hosts.iter().all(|host| host == LOCAL_HOST) => "127.0.0.1",
        None | Some(LOCAL_HOST) => return Err(needs_name()),
        Some(host) => host,
    };
    let port = port(master == "127.0.0.1")?;
    let mut ranks: Vec<RankProcess> = Vec::new();
    for rank in 0..job.hosts.len() {
        match RankProcess::start(job, rank, (master, port)) {
            Ok(process) => ranks.push(process),
            Err(error) => {
                ranks.iter_mut().for_each(RankProcess::kill);
                return Err(error);
            }
        }
    }
    Ok(ranks)
}

fn needs_name() -> Diagnostic {
    Diagnostic::new(Code::R005, format!("ranks on other hosts cannot reach rank 0 on `{LOCAL_HOST}`"))
        .help("name the first host as the others reach it")
}

/// Returns the port at which ranks find each other: a free one of this host, or one that depends on this process.
fn port(is_local: bool) -> Result<u16, Diagnostic> {
    if !is_local {
        // Rank 0 tries the following ports, too.
        return Ok(PORTS.0 + (std::process::id() % PORTS.1 * 8) as u16);
    }
    let found = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let found = found.map_err(|why| Diagnostic::new(Code::R005, format!("no port is free on this host: {why}")))?;
    Ok(found.port())
}

fn cause(process: &RankProcess) -> Cause {
    let status = process.status.unwrap_or_default();
    status.signal().map_or_else(|| Cause::Code(status.code().unwrap_or(1)), Cause::Signal)
}

/// Returns true for a rank that has failed because another has.
fn is_consequence(cause: Cause) -> bool {
    cause == Cause::Code(i32::from(control::OTHER_RANK_FAILED))
}

#[cfg(test)]
mod tests {
    use super::{Cause, Job, LOCAL_HOST, RankFailure, run};
    use std::cell::Cell;
    use std::time::{Duration, Instant};

    fn run_script(script: &str, ranks: usize, is_stop_requested: &dyn Fn() -> bool) -> Option<RankFailure> {
        let hosts = vec![LOCAL_HOST.to_owned(); ranks];
        let arguments = ["-c".to_owned(), script.to_owned()];
        let job = Job { program: "/bin/sh", arguments: &arguments, agent: &[], hosts: &hosts };
        run(&job, is_stop_requested).expect("the ranks start")
    }

    #[test]
    fn ranks_know_their_number_and_end_together() {
        let script = "[ $WORLD_SIZE = 3 ] && [ $LOCAL_WORLD_SIZE = 3 ] && [ $RANK = $LOCAL_RANK ]";
        assert_eq!(run_script(script, 3, &|| false), None);
    }

    #[test]
    fn a_killed_rank_is_the_cause_and_the_others_end() {
        let started = Instant::now();
        let failed = run_script("[ $RANK = 1 ] && kill -9 $$; [ $RANK = 0 ] && exit 69; exec sleep 60", 3, &|| false);
        let failed = failed.expect("a rank failed");
        assert_eq!((failed.rank, failed.cause), (1, Cause::Signal(9)));
        assert!(failed.is_transient() && started.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_rank_that_does_not_end_is_the_cause() {
        let failed = run_script("[ $RANK = 2 ] && kill -STOP $$; echo failed >&2; exit 69", 3, &|| false);
        let failed = failed.expect("a rank failed");
        assert_eq!((failed.rank, failed.cause, failed.host.as_str()), (2, Cause::Unresponsive, LOCAL_HOST));
    }

    #[test]
    fn errors_of_the_program_are_not_transient() {
        let failed = run_script("[ $RANK = 1 ] && { echo reason >&2; exit 3; }; exit 0", 2, &|| false);
        let failed = failed.expect("a rank failed");
        assert_eq!((failed.cause, failed.output.as_str()), (Cause::Code(3), "reason\n"));
        assert!(!failed.is_transient());
    }

    #[test]
    fn all_ranks_are_asked_to_stop() {
        let asked = Cell::new(0);
        let is_stop_requested = || asked.replace(asked.get() + 1) > 5;
        assert_eq!(run_script("read line && [ \"$line\" = pause ]", 2, &is_stop_requested), None);
    }
}
