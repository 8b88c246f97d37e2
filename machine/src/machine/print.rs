//! Serialisation of machines to TOML. Numbers are rounded to four digits, which exceeds the accuracy of any
//! measurement.

use super::host::{Cost, Host};
use super::network::{MessageCost, RankNetwork, RankPlace};
use super::profile::{AchievedLink, AchievedRates, KernelCosts, ReservedMemory};
use super::{DeviceKind, Link, Machine, Node, Vertex};
use std::fmt::Write;

impl Machine {
    /// Returns the machine as a TOML file.
    pub fn to_toml(&self) -> String {
        let mut text = format!("name = {:?}\n", self.name.as_str());
        if let Some(network) = self.network {
            let _ = writeln!(text, "network = \"{}\"", per_second(network));
        }
        for kind in &self.kinds {
            let rates = kind.rates.iter().map(|(dtype, &rate)| format!("{dtype} = \"{}\"", flops(rate)));
            let rates = rates.collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "\n[kind.{}]\nflops = {{ {rates} }}", key(&kind.name));
            let _ = writeln!(text, "memory = \"{}B\"\nbandwidth = \"{}\"", kind.memory, per_second(kind.bandwidth));
            profile(&mut text, kind);
        }
        for node in &self.nodes {
            self.node(&mut text, node);
        }
        if let Some(host) = &self.host {
            host_table(&mut text, host);
        }
        text
    }

    fn node(&self, text: &mut String, node: &Node) {
        let _ = writeln!(text, "\n[node.{}]\ncount = {}", key(&node.name), node.count);
        let runs = node.devices.chunk_by(|a, b| a == b);
        let devices = runs.map(|run| format!("\"{} {}\"", run.len(), self.kinds[run[0]].name));
        let _ = writeln!(text, "devices = [{}]", devices.collect::<Vec<_>>().join(", "));
        for switch in &node.switches {
            let bandwidth = switch.bandwidth.map(|rate| format!(" bandwidth = \"{}\" ", per_second(rate)));
            let _ = writeln!(text, "switches.{} = {{{}}}", key(&switch.name), bandwidth.unwrap_or_default());
        }
        let vertex = |vertex: Vertex| match vertex {
            Vertex::Device(device) => device.to_string(),
            Vertex::Switch(switch) => node.switches[switch].name.to_string(),
        };
        let same_properties = |a: &Link, b: &Link| {
            (a.bandwidth, a.latency, a.is_shared, a.achieved) == (b.bandwidth, b.latency, b.is_shared, b.achieved)
        };
        let _ = writeln!(text, "links = [");
        for links in node.links.chunk_by(same_properties) {
            let all = (0..node.devices.len()).map(Vertex::Device);
            let to_one =
                all.eq(links.iter().map(|link| link.ends[0])) && links.iter().all(|l| l.ends[1] == links[0].ends[1]);
            let pairs: Vec<String> = match to_one && links.len() > 1 {
                true => vec![format!("\"*-{}\"", vertex(links[0].ends[1]))],
                false => {
                    links.iter().map(|link| format!("\"{}-{}\"", vertex(link.ends[0]), vertex(link.ends[1]))).collect()
                }
            };
            let (bandwidth, latency) = (per_second(links[0].bandwidth), time(links[0].latency));
            let shared = if links[0].is_shared { ", shared = true" } else { "" };
            let (pairs, achieved) = (pairs.join(", "), achieved_link(links[0].achieved));
            let _ = writeln!(
                text,
                "    {{ between = [{pairs}], bandwidth = \"{bandwidth}\", latency = \"{latency}\"{shared}{achieved} }},"
            );
        }
        let _ = writeln!(text, "]\nports = [");
        for port in &node.ports {
            let (at, bandwidth, latency) = (vertex(port.at), per_second(port.bandwidth), time(port.latency));
            let achieved = achieved_link(port.achieved);
            let _ = writeln!(
                text,
                "    {{ at = [\"{at}\"], bandwidth = \"{bandwidth}\", latency = \"{latency}\"{achieved} }},"
            );
        }
        text.push_str("]\n");
    }
}

/// Writes the tables `achieved`, `earlier`, `kernels` and `reserved` of a kind, except for tables with default values.
fn profile(text: &mut String, kind: &DeviceKind) {
    if kind.achieved != AchievedRates::default() {
        let _ = writeln!(text, "achieved = {}", achieved_rates(&kind.achieved));
    }
    if let Some(earlier) = &kind.earlier {
        let _ = writeln!(text, "earlier = {}", achieved_rates(earlier));
    }
    let KernelCosts { units, launch, issue, overlap } = kind.kernels;
    if kind.kernels != KernelCosts::default() {
        let (launch, issue) = (time(launch), time(issue));
        let _ = writeln!(
            text,
            "kernels = {{ units = {units}, launch = \"{launch}\", issue = \"{issue}\", overlap = {overlap} }}"
        );
    }
    let ReservedMemory { context, workspace, communicator, fragmentation } = kind.reserved;
    if kind.reserved != ReservedMemory::default() {
        let sizes = [("context", context), ("workspace", workspace), ("communicator", communicator)];
        let sizes = sizes.into_iter().filter(|(_, bytes)| *bytes > 0);
        let sizes: String = sizes.map(|(name, bytes)| format!("{name} = \"{bytes}B\", ")).collect();
        let _ = writeln!(text, "reserved = {{ {sizes}fragmentation = {fragmentation} }}");
    }
    if kind.uncertainty != DeviceKind::UNCERTAINTY {
        let _ = writeln!(text, "uncertainty = {}", kind.uncertainty);
    }
}

/// Formats the table `achieved` or `earlier` of a kind.
fn achieved_rates(rates: &AchievedRates) -> String {
    let AchievedRates { products, attention, attention_grad, memory, clock } = rates;
    let products: String = products.iter().map(|(dtype, &share)| format!("{dtype} = {}, ", digits(share))).collect();
    let [attention, attention_grad, memory, clock] = [attention, attention_grad, memory, clock].map(|&of| digits(of));
    format!(
        "{{ {products}attention = {attention}, attention_grad = {attention_grad}, memory = {memory}, clock = {clock} }}"
    )
}

/// Formats the keys `achieved` and `setup` of a link or port, or nothing if both have their defaults.
fn achieved_link(achieved: AchievedLink) -> String {
    if achieved == AchievedLink::default() {
        return String::new();
    }
    format!(", achieved = {}, setup = \"{}\"", digits(achieved.bandwidth), time(achieved.setup))
}

fn host_table(text: &mut String, host: &Host) {
    let _ = writeln!(text, "\n[host]\ncores = {}\n\n[host.costs]", host.cores);
    for cost in Cost::ALL {
        let _ = writeln!(text, "{} = \"{}\"", key(cost.name()), time(host.cost(cost)));
    }
    text.push_str("\n[host.memory]\n");
    for (bytes, rate) in &host.memory {
        let _ = writeln!(text, "\"{bytes}B\" = \"{}\"", per_second(*rate));
    }
    for products in &host.products {
        let _ = writeln!(
            text,
            "\n[[host.products]]\ndtype = \"{}\"\norder = \"{}\"",
            products.dtype,
            products.order.name()
        );
        let _ = writeln!(text, "sizes = {:?}\nflops = [", products.sizes);
        for row in products.rates.chunks(products.sizes.len().max(1)) {
            let row: Vec<String> = row.iter().map(|&rate| format!("\"{}\"", flops(rate))).collect();
            let _ = writeln!(text, "    [{}],", row.join(", "));
        }
        text.push_str("]\n");
    }
    if let Some(ranks) = &host.ranks {
        ranks_table(text, ranks);
    }
}

fn ranks_table(text: &mut String, network: &RankNetwork) {
    let numbers = |of: fn(&RankPlace) -> usize| network.ranks.iter().map(of).collect::<Vec<_>>();
    let _ = writeln!(text, "\n[host.ranks]\ntransport = \"{}\"", network.transport.name());
    let _ = writeln!(text, "hosts = {:?}", numbers(|place| place.host));
    let _ = writeln!(text, "core_groups = {:?}", numbers(|place| place.core_group));
    let _ = writeln!(text, "cores = {:?}", network.group_cores);
    for (key, costs) in [("local", &network.local), ("remote", &network.remote)] {
        if costs.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{key} = [");
        for &MessageCost { bytes, seconds, busy, exchange } in costs {
            let [seconds, busy, exchange] = [seconds, busy, exchange].map(time);
            let _ = writeln!(
                text,
                "    {{ bytes = \"{bytes}B\", seconds = \"{seconds}\", busy = \"{busy}\", exchange = \"{exchange}\" }},"
            );
        }
        text.push_str("]\n");
    }
}

/// Returns a TOML key, quoted if necessary.
fn key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if is_bare { name.to_owned() } else { format!("{name:?}") }
}

/// Rounds a number to four significant digits.
fn digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

fn time(seconds: f64) -> String {
    let (scale, unit) = if seconds < 1e-6 { (1e9, "ns") } else { (1e6, "us") };
    format!("{}{unit}", digits(seconds * scale))
}

fn flops(rate: f64) -> String {
    format!("{}G", digits(rate / 1e9))
}

fn per_second(rate: f64) -> String {
    format!("{}GB/s", digits(rate / 1e9))
}
