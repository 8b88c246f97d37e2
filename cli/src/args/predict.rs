//! Arguments of `predict` and `serve`.

use super::{ExactFlag, PlanFlags, RanksFlag};
use clap::Args;
use std::path::PathBuf;

/// A trained model and its plan.
#[derive(Args, Debug)]
pub(crate) struct TrainedFlags {
    /// Model: an `.onnx` or `.pt2` file with weights (`m.onnx?batch=8`), or the model of the checkpoint. A checkpoint
    /// names its built-in model; a model file is opened only if given here.
    pub(crate) model: Option<String>,
    /// Checkpoint, or a folder whose newest checkpoint is used, with its plan unless `--plan` or `--mesh` is given.
    /// Without a checkpoint, the model must have weights.
    #[arg(long, value_name = "PATH")]
    pub(crate) checkpoint: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Measure the latency of a batch with the stages of the plan, and with one stage
    #[arg(long)]
    pub(crate) compare: bool,
}

#[derive(Args, Debug)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) trained: TrainedFlags,
    /// Examples: a tensor for each input, whose first dimension is the example. Any number of examples is accepted.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) input: PathBuf,
    /// Write the predictions to this file.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) ranks: RanksFlag,
    #[command(flatten)]
    pub(crate) exact: ExactFlag,
}

#[cfg(feature = "serve")]
pub(crate) use serve::Log;
pub(crate) use serve::ServeArgs;

mod serve {
    use super::TrainedFlags;
    use clap::{Args, ValueEnum};
    use partita_ir::units::parse_bytes;
    use std::net::{Ipv6Addr, SocketAddr};
    use std::time::Duration;

    #[derive(Args, Debug)]
    #[cfg_attr(not(feature = "serve"), allow(dead_code, reason = "read where there is a server"))]
    pub(crate) struct ServeArgs {
        #[command(flatten)]
        pub(crate) trained: TrainedFlags,
        /// Address to listen on; port 0 selects a free one. Other machines can connect only if it is not a loopback
        /// address.
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", help_heading = "Serving")]
        pub(crate) listen: SocketAddr,
        /// Maximum time that an example waits for others to share its batch.
        #[arg(long, value_name = "TIME", default_value = "5ms", value_parser = time, help_heading = "Serving")]
        pub(crate) max_delay: Duration,
        /// Maximum number of queued examples; further requests get status 503.
        #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Serving")]
        pub(crate) queue: usize,
        /// Maximum number of examples in a request.
        #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Serving")]
        pub(crate) max_examples: usize,
        /// Maximum size of a request body; larger ones get status 413.
        #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = bytes, help_heading = "Serving")]
        pub(crate) max_body: u64,
        /// Maximum number of concurrent connections.
        #[arg(long, value_name = "N", default_value_t = 512, help_heading = "Serving")]
        pub(crate) connections: usize,
        /// Maximum number of concurrent connections of a client: an IPv4 address, or an IPv6 network of 64 bits.
        /// Further connections get health checks only, and status 429 otherwise. Raise the limit for a reverse proxy,
        /// which is one client.
        #[arg(long, value_name = "N", default_value_t = 128, help_heading = "Serving")]
        pub(crate) connections_per_client: usize,
        /// Accepted host name in the `Host` header of requests; can be repeated. Loopback names and the listen address
        /// are always accepted, others get status 421.
        #[arg(long, value_name = "NAME", value_parser = host, help_heading = "Serving")]
        pub(crate) allow_host: Vec<String>,
        /// Maximum memory of all requests and responses, besides the model.
        #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = bytes, help_heading = "Serving")]
        pub(crate) memory: u64,
        /// Maximum time to receive the head of a request (otherwise status 408), and to leave a connection idle.
        #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time, help_heading = "Serving")]
        pub(crate) header_timeout: Duration,
        /// Maximum time to receive the body of a request (otherwise status 408), or for the client to read part of a
        /// response.
        #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time, help_heading = "Serving")]
        pub(crate) timeout: Duration,
        /// Maximum time to finish requests after Ctrl-C or SIGTERM.
        #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time, help_heading = "Serving")]
        pub(crate) grace: Duration,
        /// Write a line to standard error for each request.
        #[arg(long, value_name = "WHAT", help_heading = "Serving")]
        pub(crate) log: Option<Log>,
    }

    #[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
    pub(crate) enum Log {
        /// Method, path, status and duration.
        Requests,
    }

    fn bytes(text: &str) -> Result<u64, String> {
        parse_bytes(text).ok_or_else(|| "expected a size: `16MiB`".to_owned())
    }

    /// Parses a host name without a port.
    fn host(text: &str) -> Result<String, String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let is_host = text.chars().all(is_name) && !text.is_empty() || text.parse::<Ipv6Addr>().is_ok();
        let host = if text.contains(':') { format!("[{text}]") } else { text.to_owned() };
        is_host.then_some(host).ok_or_else(|| "expected a host name without a port: `models.example.org`".to_owned())
    }

    /// Parses a duration with its unit.
    fn time(text: &str) -> Result<Duration, String> {
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let unit = match unit {
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            _ => f64::NAN,
        };
        let seconds = number.trim().parse::<f64>().map_or(f64::NAN, |n| n * unit);
        let in_range = Some(seconds).filter(|s| (0.0..=86400.0).contains(s));
        in_range.map(Duration::from_secs_f64).ok_or_else(|| "expected a time: `5ms`, `10s`".to_owned())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn times_have_units() {
            let read = ["5ms", "10s", "0.5 s", "2m", "0s"].map(|t| time(t).unwrap().as_millis());
            assert_eq!(read, [5, 10_000, 500, 120_000, 0]);
            assert!(["5", "", "ms", "-1s", "1h", "NaNs", "1e9s"].iter().all(|t| time(t).is_err()));
        }
    }
}
