//! One rank: a process on this host, or one that an agent such as `ssh` starts on another.

use super::control;
use partita_ir::diag::{Code, Diagnostic, shell_word};
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;

/// Name of the host of the launcher.
pub const LOCAL_HOST: &str = "localhost";

/// Largest number of retained bytes of the error output of a rank.
const MAX_OUTPUT_BYTES: usize = 64 << 10;

/// Command and placement of the ranks of a job.
pub struct Job<'a> {
    /// Program.
    pub program: &'a str,
    /// Arguments of the program.
    pub arguments: &'a [String],
    /// Command that starts a command line on a host: `AGENT HOST COMMAND`.
    pub agent: &'a [String],
    /// Host of each rank.
    pub hosts: &'a [String],
}

/// Running rank.
pub(super) struct RankProcess {
    pub(super) host: String,
    process: Child,
    input: Option<ChildStdin>,
    output: Option<JoinHandle<String>>,
    /// Status of a process that has ended.
    pub(super) status: Option<ExitStatus>,
    /// True if the launcher has ended it.
    pub(super) is_killed: bool,
}

impl RankProcess {
    /// Starts a rank, which finds the others at an address. Rank 0 writes to the output of this process; the error
    /// output of the others is retained.
    pub(super) fn start(job: &Job<'_>, rank: usize, (master, port): (&str, u16)) -> Result<RankProcess, Diagnostic> {
        let host = &job.hosts[rank];
        let of_host = |range: &[String]| range.iter().filter(|other| *other == host).count();
        let variables = [
            ("RANK", rank.to_string()),
            ("WORLD_SIZE", job.hosts.len().to_string()),
            ("LOCAL_RANK", of_host(&job.hosts[..rank]).to_string()),
            ("LOCAL_WORLD_SIZE", of_host(job.hosts).to_string()),
            ("MASTER_ADDR", master.to_owned()),
            ("MASTER_PORT", port.to_string()),
            (control::VARIABLE, "1".to_owned()),
        ];
        let mut command = match host == LOCAL_HOST {
            true => {
                let mut command = Command::new(job.program);
                command.args(job.arguments).envs(variables);
                command
            }
            false => {
                let mut command = Command::new(job.agent.first().map_or("ssh", String::as_str));
                command.args(job.agent.iter().skip(1)).arg(host).arg(remote_command(job, &variables)?);
                command
            }
        };
        command.stdin(Stdio::piped());
        if rank > 0 {
            command.stdout(Stdio::null()).stderr(Stdio::piped());
        }
        // Ctrl-C reaches the launcher only, which asks the ranks to stop.
        command.process_group(0);
        let program = command.get_program().to_owned();
        let mut process = command.spawn().map_err(|why| not_started(&program, rank, host, &why.to_string()))?;
        let output = process.stderr.take().map(|stream| std::thread::spawn(move || read_end(stream)));
        Ok(RankProcess {
            host: host.clone(),
            input: process.stdin.take(),
            process,
            output,
            status: None,
            is_killed: false,
        })
    }

    /// Returns true when the process has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        if self.status.is_none() {
            self.status = self.process.try_wait().ok().flatten();
        }
        self.status.is_some()
    }

    /// Asks the rank to stop after its current step.
    pub(super) fn ask_to_pause(&mut self) {
        self.input.iter_mut().for_each(control::ask_to_pause);
    }

    /// Ends the process at once. A rank on another host ends when its agent has.
    pub(super) fn kill(&mut self) {
        self.is_killed = true;
        self.input = None;
        let _ = self.process.kill();
        self.status = self.process.wait().ok();
    }

    /// Returns the error output of a process that has ended.
    pub(super) fn take_output(&mut self) -> String {
        self.output.take().and_then(|reader| reader.join().ok()).unwrap_or_default()
    }
}

/// Returns the command line that a shell on another host executes, in the folder of this process.
fn remote_command(job: &Job<'_>, variables: &[(&str, String)]) -> Result<String, Diagnostic> {
    let folder = std::env::current_dir()
        .map_err(|why| Diagnostic::new(Code::C001, format!("the current folder cannot be read: {why}")))?;
    let mut words = vec!["cd".to_owned(), shell_word(&folder.to_string_lossy()).into_owned(), "&& exec env".to_owned()];
    words.extend(variables.iter().map(|(name, value)| format!("{name}={}", shell_word(value))));
    words.push(shell_word(job.program).into_owned());
    words.extend(job.arguments.iter().map(|argument| shell_word(argument).into_owned()));
    Ok(words.join(" "))
}

fn not_started(program: &OsStr, rank: usize, host: &str, why: &str) -> Diagnostic {
    let title = format!("rank {rank} on {host} cannot be started: `{}`: {why}", program.to_string_lossy());
    Diagnostic::new(Code::R005, title).help("name a command that runs another on a host: `--agent ssh`")
}

/// Reads a stream to its end. Returns the last part of it.
fn read_end(mut stream: impl Read) -> String {
    let (mut kept, mut part) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = stream.read(&mut part) {
        kept.extend_from_slice(&part[..count]);
        let surplus = kept.len().saturating_sub(MAX_OUTPUT_BYTES);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
