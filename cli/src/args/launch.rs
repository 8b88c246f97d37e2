//! Arguments of `launch`.

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct LaunchArgs {
    /// Number of processes.
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) processes: u32,
    /// Hosts, each of which runs a block of consecutive processes; by default this host.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) hosts: Vec<String>,
    /// Command that runs another on a host: `AGENT HOST COMMAND`. The folder and the program have the same paths there.
    #[arg(long, value_name = "COMMAND", default_value = "ssh", requires = "hosts")]
    pub(crate) agent: String,
    /// Number of times that training starts again from its last checkpoint after a process was lost.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) restarts: u32,
    /// Start again without the lost process, with the plan that `replan` finds for the remaining devices.
    #[arg(long, requires = "restarts")]
    pub(crate) elastic: bool,
    /// Machine for which `--elastic` plans: a file, or a built-in name. By default nodes of eight A100.
    #[arg(long, value_name = "FILE.toml|NAME", requires = "elastic")]
    pub(crate) machine: Option<String>,
    /// Command: `train`, `run`, `predict` or `calibrate`, and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
