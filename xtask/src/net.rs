//! Test hosts: network namespaces of this machine, connected by a bridge at a limited rate. Needs root.
//!
//! Host `h<i>` has the address `10.77.0.<i + 1>`. Rates are limited by a token bucket in both directions, since `netem`
//! is not part of every kernel. Connections use the congestion control `reno`, which every kernel has: figures would
//! otherwise depend on the default of the machine, and `bbr` makes steps with many messages up to 1.9 times longer.

use crate::Outcome;
use std::process::Command;

/// Number of hosts.
const HOSTS: usize = 4;

/// Name of the bridge.
const BRIDGE: &str = "partita-br";

/// Creates the hosts, with links of `rate` as `tc` writes it: `1gbit`.
pub(crate) fn up(rate: &str) -> Outcome {
    down()?;
    ip(&format!("link add {BRIDGE} type bridge"))?;
    ip(&format!("link set {BRIDGE} up"))?;
    for host in 0..HOSTS {
        let (inside, outside) = ("eth0", format!("partita-h{host}"));
        ip(&format!("netns add h{host}"))?;
        ip(&format!("link add {outside} type veth peer name {inside} netns h{host}"))?;
        ip(&format!("link set {outside} master {BRIDGE} up"))?;
        ip(&format!("-n h{host} addr add 10.77.0.{}/24 dev {inside}", host + 1))?;
        ip(&format!("-n h{host} link set {inside} up"))?;
        ip(&format!("-n h{host} link set lo up"))?;
        ip(&format!("netns exec h{host} sysctl -qw net.ipv4.tcp_congestion_control=reno"))?;
        let limit = format!("root tbf rate {rate} burst 256kb latency 50ms");
        run("tc", &format!("qdisc add dev {outside} {limit}"))?;
        run("tc", &format!("-n h{host} qdisc add dev {inside} {limit}"))?;
    }
    println!("{HOSTS} hosts, h0 to h{}, with links of {rate}", HOSTS - 1);
    Ok(())
}

/// Removes the hosts.
pub(crate) fn down() -> Outcome {
    // Removing what does not exist fails, which is no error. The kernel removes the links of a deleted host only later.
    let remove = |words: &[&str]| _ = Command::new("ip").args(words).output();
    for host in 0..HOSTS {
        remove(&["link", "del", &format!("partita-h{host}")]);
        remove(&["netns", "del", &format!("h{host}")]);
    }
    remove(&["link", "del", BRIDGE]);
    Ok(())
}

fn ip(words: &str) -> Outcome {
    run("ip", words)
}

fn run(program: &str, words: &str) -> Outcome {
    let ran = Command::new(program).args(words.split_whitespace()).output();
    let ran = ran.map_err(|e| format!("cannot run {program}, of the package iproute2: {e}"))?;
    if ran.status.success() {
        return Ok(());
    }
    Err(format!("`{program} {words}` failed: {}", String::from_utf8_lossy(&ran.stderr).trim()))
}
