//! Name of the host of this process, and the time that the process computes.

/// Returns the name of this host, if the operating system tells it.
pub fn host_name() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    name.filter(|name| !name.is_empty())
}

/// Returns the seconds that all threads of this process have computed, if the operating system tells it.
pub fn cpu_seconds() -> Option<f64> {
    #[cfg(unix)]
    let seconds = {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
    };
    #[cfg(not(unix))]
    let seconds = None;
    seconds
}
