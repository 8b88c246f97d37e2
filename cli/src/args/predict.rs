//! Words for predictions: from a file, and over HTTP.

use super::PlanFlags;
use clap::Args;
use std::path::PathBuf;

/// Which trained model, and how it is laid out.
#[derive(Args, Debug)]
pub(crate) struct TrainedFlags {
    /// The model: an `.onnx` file, which brings its weights along (`m.onnx?batch=8`), or the one that was trained. A
    /// checkpoint of a built-in model names it; a model file is opened only when it is named here.
    pub(crate) model: Option<String>,
    /// A checkpoint, or a folder of them, of which the newest counts. Its plan counts too, unless `--plan` or `--mesh`
    /// is given. Without one the model answers with the weights that it brings along.
    #[arg(long, value_name = "PATH")]
    pub(crate) checkpoint: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Measure how long a batch takes in the stages of the plan, and in one stage
    #[arg(long)]
    pub(crate) compare: bool,
}

#[derive(Args, Debug)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) trained: TrainedFlags,
    /// Examples: a tensor for each input, whose first dimension counts them. They may be as many as you like.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) input: PathBuf,
    /// Where to keep the answers.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) output: Option<PathBuf>,
}

#[cfg(feature = "serve")]
pub(crate) use serve::Log;
pub(crate) use serve::ServeArgs;

mod serve {
    use super::TrainedFlags;
    use clap::{Args, ValueEnum};
    use partita_ir::units::read_bytes;
    use std::net::{Ipv6Addr, SocketAddr};
    use std::time::Duration;

    #[derive(Args, Debug)]
    #[cfg_attr(not(feature = "serve"), allow(dead_code, reason = "read where there is a server"))]
    pub(crate) struct ServeArgs {
        #[command(flatten)]
        pub(crate) trained: TrainedFlags,
        /// Where requests come in; port 0 takes a free one. Other machines reach it only if the address is not of this
        /// one alone.
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", help_heading = "Serving")]
        pub(crate) listen: SocketAddr,
        /// How long an example waits for others to share its batch.
        #[arg(long, value_name = "TIME", default_value = "5ms", value_parser = time, help_heading = "Serving")]
        pub(crate) max_delay: Duration,
        /// How many examples may wait; beyond that requests are answered 503.
        #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Serving")]
        pub(crate) queue: usize,
        /// How many examples a request may have.
        #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Serving")]
        pub(crate) max_examples: usize,
        /// How long the body of a request may be; beyond that it is answered 413.
        #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = bytes, help_heading = "Serving")]
        pub(crate) max_body: u64,
        /// How many connections there may be at once.
        #[arg(long, value_name = "N", default_value_t = 512, help_heading = "Serving")]
        pub(crate) connections: usize,
        /// How many connections one client may have at once: an IPv4 address, or an IPv6 network of 64 bits. Beyond
        /// that only health checks are answered, others get 429. Raise it behind a reverse proxy, which is one client.
        #[arg(long, value_name = "N", default_value_t = 128, help_heading = "Serving")]
        pub(crate) connections_per_client: usize,
        /// A host name that requests may be sent to, as their `Host` header has it; may be given several times.
        /// Loopback and the listen address are always allowed, all others are answered 421.
        #[arg(long, value_name = "NAME", value_parser = host, help_heading = "Serving")]
        pub(crate) allow_host: Vec<String>,
        /// What all requests and answers may need in memory at once, besides the model.
        #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = bytes, help_heading = "Serving")]
        pub(crate) memory: u64,
        /// How long a client may take to send the head of a request (else 408), and how long a connection may be idle.
        #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time, help_heading = "Serving")]
        pub(crate) header_timeout: Duration,
        /// How long a client may take to send the body of a request (else 408), or to take more of its answer.
        #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time, help_heading = "Serving")]
        pub(crate) timeout: Duration,
        /// How long requests may take to end after Ctrl-C or SIGTERM.
        #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time, help_heading = "Serving")]
        pub(crate) grace: Duration,
        /// Write a line to standard error for each request.
        #[arg(long, value_name = "WHAT", help_heading = "Serving")]
        pub(crate) log: Option<Log>,
    }

    #[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
    pub(crate) enum Log {
        /// Method, path, status and time.
        Requests,
    }

    fn bytes(text: &str) -> Result<u64, String> {
        read_bytes(text).ok_or_else(|| "expected a size: `16MiB`".to_owned())
    }

    /// A host without a port.
    fn host(text: &str) -> Result<String, String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let is_host = text.chars().all(is_name) && !text.is_empty() || text.parse::<Ipv6Addr>().is_ok();
        let host = if text.contains(':') { format!("[{text}]") } else { text.to_owned() };
        is_host.then_some(host).ok_or_else(|| "expected a host name without a port: `models.example.org`".to_owned())
    }

    /// A stretch of time with its unit.
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
