//! TOML format of machines.
//!
//! ```toml
//! [kind.V100]
//! flops = { f32 = "15.7T", f16 = "125T" }
//! memory = "32GB"
//! bandwidth = "900GB/s"
//!
//! [node.dgx1]
//! count = 4
//! devices = ["8 V100"]                      # numbered from 0
//! switches.root.bandwidth = "24GB/s"        # optional total bandwidth of the switch
//! links = [
//!     { between = ["0-1", "2-3"], bandwidth = "25GB/s", latency = "3us" },
//!     { between = ["*-root"], bandwidth = "12GB/s", latency = "5us", shared = true },
//! ]
//! ports = [{ at = ["root"], bandwidth = "12.5GB/s", latency = "5us" }]
//! ```
//!
//! `*` denotes all devices. The tables of the module [`profile`] state the achieved fractions of these rates.
//! `network = "1TB/s"` limits the total bandwidth of all nodes. The table [`host`] contains
//! measurements of devices that share one process, and the table [`network`] those of several processes.

mod host;
mod network;
mod profile;

use super::{DeviceKind, Link, Machine, Node, Port, Switch, Vertex};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, Source, Span, nearest};
use partita_ir::dtype::DType;
use partita_ir::units::parse_bytes;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::Spanned;

/// Maximum number of devices and switches of a node.
const MAX_VERTICES: usize = 1 << 12;

/// Maximum number of links of a node.
const MAX_LINKS: usize = 1 << 16;

/// Maximum number of equal nodes.
const MAX_NODES: usize = 1 << 20;

type Text = Spanned<String>;
type Table<T> = BTreeMap<Text, T>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineRecord {
    name: Option<String>,
    #[serde(default)]
    kind: Table<KindRecord>,
    #[serde(default)]
    node: Table<NodeRecord>,
    network: Option<Text>,
    host: Option<host::HostRecord>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindRecord {
    flops: Table<Text>,
    memory: Text,
    bandwidth: Text,
    #[serde(default)]
    achieved: profile::AchievedRecord,
    earlier: Option<profile::AchievedRecord>,
    kernels: Option<profile::KernelsRecord>,
    reserved: Option<profile::ReservedRecord>,
    uncertainty: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeRecord {
    count: Option<Spanned<usize>>,
    devices: Vec<Text>,
    #[serde(default)]
    switches: Table<SwitchRecord>,
    #[serde(default)]
    links: Vec<LinkRecord>,
    #[serde(default)]
    ports: Vec<PortRecord>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SwitchRecord {
    bandwidth: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkRecord {
    between: Vec<Text>,
    bandwidth: Text,
    latency: Text,
    #[serde(default)]
    shared: bool,
    achieved: Option<Spanned<f64>>,
    setup: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PortRecord {
    at: Vec<Text>,
    bandwidth: Text,
    latency: Text,
    achieved: Option<Spanned<f64>>,
    setup: Option<Text>,
}

impl Machine {
    /// Parses a machine.
    ///
    /// # Errors
    /// `H001` for text that is not TOML or not a machine, `H002` for a machine with contradictory properties. Both
    /// refer to the line of the error.
    pub fn from_toml(source: &Arc<Source>) -> Result<Machine, Diagnostic> {
        let file = File(source);
        let record: MachineRecord = toml::from_str(&source.text).map_err(|e| {
            let error = Diagnostic::new(Code::H001, format!("invalid machine description: {}", e.message()));
            error.label(file.span(e.span().unwrap_or_default()), "")
        })?;
        let kinds =
            in_order(record.kind).map(|(name, kind)| file.parse_kind(&name, kind)).collect::<Result<Vec<_>, _>>()?;
        let nodes = in_order(record.node).map(|(name, node)| file.parse_node(&name, node, &kinds));
        let nodes = nodes.collect::<Result<Vec<Node>, Diagnostic>>()?;
        if nodes.is_empty() {
            let none = Diagnostic::new(Code::H002, "the machine has no nodes");
            return Err(none
                .label(file.span(0..0), "")
                .help("add a table for each node: [node.name], devices = [\"8 V100\"]"));
        }
        let network = record.network.map(|text| file.parse_bytes_per_second(&text)).transpose()?;
        let host = record.host.map(|host| file.parse_host(host)).transpose()?;
        let name = record.name.unwrap_or_else(|| source.name.clone());
        Ok(Machine { name: name.into(), kinds, nodes, network, host })
    }
}

/// Returns the entries in the order of the file.
fn in_order<T>(table: Table<T>) -> impl Iterator<Item = (Text, T)> {
    let mut entries: Vec<(Text, T)> = table.into_iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries.into_iter()
}

/// Machine file during parsing.
struct File<'s>(&'s Arc<Source>);

impl File<'_> {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.0, range)
    }

    fn error(&self, code: Code, title: String, at: &Text) -> Diagnostic {
        Diagnostic::new(code, title).label(self.span(at.span()), "")
    }

    fn parse_kind(&self, name: &Text, record: KindRecord) -> Result<DeviceKind, Diagnostic> {
        let mut rates = IndexMap::new();
        for (dtype, rate) in in_order(record.flops) {
            let known = DType::from_name(dtype.get_ref());
            let unknown = || self.error(Code::H001, format!("`{}` is not an element type", dtype.get_ref()), &dtype);
            rates.insert(known.ok_or_else(unknown)?, self.parse_rate(&rate)?);
        }
        if !rates.contains_key(&DType::F32) {
            let title = format!(
                "kind `{}` has no rate for `f32`, which applies to all ops except matrix products",
                name.get_ref()
            );
            return Err(self.error(Code::H002, title, name).help("flops = { f32 = \"15.7T\" }"));
        }
        let memory = self.parse_size(&record.memory)?;
        Ok(DeviceKind {
            name: name.get_ref().into(),
            rates,
            memory,
            bandwidth: self.parse_bytes_per_second(&record.bandwidth)?,
            achieved: self.parse_achieved(record.achieved)?,
            earlier: record.earlier.map(|earlier| self.parse_achieved(earlier)).transpose()?,
            kernels: record.kernels.map(|kernels| self.parse_kernels(kernels)).transpose()?.unwrap_or_default(),
            reserved: record.reserved.map(|reserved| self.parse_reserved(reserved)).transpose()?.unwrap_or_default(),
            uncertainty: self.parse_uncertainty(record.uncertainty.as_ref())?,
        })
    }

    fn parse_node(&self, name: &Text, record: NodeRecord, kinds: &[DeviceKind]) -> Result<Node, Diagnostic> {
        let mut node = Node {
            name: name.get_ref().into(),
            count: 1,
            devices: Vec::new(),
            switches: Vec::new(),
            links: Vec::new(),
            ports: Vec::new(),
        };
        if let Some(count) = record.count {
            node.count = *count.get_ref();
            if !(1..=MAX_NODES).contains(&node.count) {
                let title = format!("node count {} of `{}` is not from 1 to {MAX_NODES}", node.count, node.name);
                return Err(Diagnostic::new(Code::H002, title).label(self.span(count.span()), ""));
            }
        }
        for devices in &record.devices {
            let (count, kind) = self.parse_devices(devices, kinds)?;
            if node.devices.len() + count > MAX_VERTICES {
                return Err(self.error(Code::H002, format!("a node has at most {MAX_VERTICES} devices"), devices));
            }
            node.devices.extend(std::iter::repeat_n(kind, count));
        }
        for (name, switch) in in_order(record.switches) {
            let bandwidth = switch.bandwidth.map(|text| self.parse_bytes_per_second(&text)).transpose()?;
            node.switches.push(Switch { name: name.get_ref().into(), bandwidth });
        }
        for link in &record.links {
            let (bandwidth, latency) =
                (self.parse_bytes_per_second(&link.bandwidth)?, self.parse_seconds(&link.latency)?);
            let achieved = self.parse_achieved_link(link.achieved.as_ref(), link.setup.as_ref())?;
            for pair in &link.between {
                let ends = self.parse_link_ends(&node, pair)?;
                node.links.extend(ends.into_iter().map(|ends| Link {
                    ends,
                    bandwidth,
                    latency,
                    is_shared: link.shared,
                    achieved,
                }));
            }
        }
        for port in &record.ports {
            let (bandwidth, latency) =
                (self.parse_bytes_per_second(&port.bandwidth)?, self.parse_seconds(&port.latency)?);
            let achieved = self.parse_achieved_link(port.achieved.as_ref(), port.setup.as_ref())?;
            for at in &port.at {
                let places = self.parse_vertices(&node, at, at.get_ref())?;
                node.ports.extend(places.into_iter().map(|at| Port { at, bandwidth, latency, achieved }));
            }
        }
        self.check_connected(name, &node)?;
        Ok(node)
    }

    /// Returns an error if devices of a node cannot reach each other.
    fn check_connected(&self, name: &Text, node: &Node) -> Result<(), Diagnostic> {
        let wrong = |title: String| self.error(Code::H002, title, name);
        if node.devices.is_empty() {
            return Err(wrong(format!("node `{}` has no devices", node.name)).help("devices = [\"8 V100\"]"));
        }
        if let Some(unreachable) = node.unreachable_device() {
            let title = format!("node `{}` has no links that connect device {unreachable} with device 0", node.name);
            return Err(wrong(title)
                .help(format!("{{ between = [\"0-{unreachable}\"], bandwidth = \"12GB/s\", latency = \"5us\" }}")));
        }
        if node.count > 1 && node.ports.is_empty() {
            let title = format!("{} nodes `{}` have no port to the network", node.count, node.name);
            return Err(wrong(title).help("ports = [{ at = [\"0\"], bandwidth = \"12.5GB/s\", latency = \"5us\" }]"));
        }
        Ok(())
    }

    /// Parses a number and kind of devices, such as `8 V100` or `V100`. Returns the number and the index of the kind.
    fn parse_devices(&self, text: &Text, kinds: &[DeviceKind]) -> Result<(usize, usize), Diagnostic> {
        let words: Vec<&str> = text.get_ref().split_whitespace().collect();
        let (count, name) = match words[..] {
            [name] => (Some(1), name),
            [count, name] => (count.parse().ok().filter(|n| *n > 0), name),
            _ => (None, ""),
        };
        let Some(count) = count else {
            let title = format!("`{}` is not a number and kind of devices", text.get_ref());
            return Err(self.error(Code::H001, title, text).help("write the number and the kind: \"8 V100\""));
        };
        let names = || kinds.iter().map(|kind| kind.name.as_str());
        let unknown = || {
            let error = self.error(Code::H002, format!("unknown kind of device `{name}`"), text);
            match nearest(name, names()) {
                Some(near) => error.help(format!("a similar name is `{near}`")),
                None => error.help(format!("define the kind in a table [kind.{name}]")),
            }
        };
        Ok((count, names().position(|known| known == name).ok_or_else(unknown)?))
    }

    /// Parses the ends of links, such as `0-1` or `*-switch`.
    fn parse_link_ends(&self, node: &Node, text: &Text) -> Result<Vec<[Vertex; 2]>, Diagnostic> {
        let Some((a, b)) = text.get_ref().split_once('-') else {
            let title = format!("`{}` is not a link: write both ends, as in 0-1", text.get_ref());
            return Err(self.error(Code::H001, title, text));
        };
        let (a, b) = (self.parse_vertices(node, text, a)?, self.parse_vertices(node, text, b)?);
        if node.links.len() + a.len() * b.len() > MAX_LINKS {
            return Err(self.error(Code::H002, format!("a node has at most {MAX_LINKS} links"), text));
        }
        let all: Vec<[Vertex; 2]> = a.iter().flat_map(|&a| b.iter().map(move |&b| [a, b])).collect();
        match all.iter().find(|[a, b]| a == b) {
            Some([a, _]) => {
                let title = format!("`{}` links {} with itself", text.get_ref(), node.vertex_name(*a));
                Err(self.error(Code::H002, title, text))
            }
            None => Ok(all),
        }
    }

    /// Parses a device, a switch, or `*` for all devices.
    fn parse_vertices(&self, node: &Node, at: &Text, text: &str) -> Result<Vec<Vertex>, Diagnostic> {
        let text = text.trim();
        if text == "*" {
            return Ok((0..node.devices.len()).map(Vertex::Device).collect());
        }
        if let Some(switch) = node.switches.iter().position(|switch| switch.name == text) {
            return Ok(vec![Vertex::Switch(switch)]);
        }
        let device = text.parse().ok().filter(|device| *device < node.devices.len());
        let missing = || {
            let title = format!("node `{}` has no device or switch `{text}`", node.name);
            let devices = match node.devices.len() {
                0 => "it has no devices".to_owned(),
                n => format!("its devices are 0 to {}", n - 1),
            };
            self.error(Code::H002, title, at).note(devices)
        };
        Ok(vec![Vertex::Device(device.ok_or_else(missing)?)])
    }

    /// Parses operations per second, such as `15.7T`.
    fn parse_rate(&self, text: &Text) -> Result<f64, Diagnostic> {
        const UNITS: [(&str, f64); 4] = [("P", 1e15), ("T", 1e12), ("G", 1e9), ("", 1.0)];
        let rate = parse_with_unit(text.get_ref(), &UNITS, |number, scale| number * scale);
        rate.ok_or_else(|| self.invalid_amount(text, "a positive rate in operations per second, such as 15.7T"))
    }

    fn parse_size(&self, text: &Text) -> Result<u64, Diagnostic> {
        parse_bytes(text.get_ref())
            .filter(|n| *n > 0)
            .ok_or_else(|| self.invalid_amount(text, "a positive number of bytes, such as 32GB"))
    }

    fn parse_bytes_per_second(&self, text: &Text) -> Result<f64, Diagnostic> {
        let bytes = text.get_ref().strip_suffix("/s").and_then(parse_bytes).filter(|n| *n > 0);
        bytes
            .map(|n| n as f64)
            .ok_or_else(|| self.invalid_amount(text, "a positive rate in bytes per second, such as 25GB/s"))
    }

    fn parse_seconds(&self, text: &Text) -> Result<f64, Diagnostic> {
        // Division rounds `5us` to the nearest representable number; multiplication by 1e-6 would not.
        const UNITS: [(&str, f64); 4] = [("ns", 1e9), ("us", 1e6), ("ms", 1e3), ("s", 1.0)];
        let seconds = parse_with_unit(text.get_ref(), &UNITS, |number, scale| number / scale);
        seconds.ok_or_else(|| self.invalid_amount(text, "a positive time, such as 3us"))
    }

    fn invalid_amount(&self, text: &Text, needed: &str) -> Diagnostic {
        self.error(Code::H001, format!("`{}` is not {needed}", text.get_ref()), text)
    }
}

/// Parses a positive number with a unit, the first of `units` that the text ends with.
fn parse_with_unit(text: &str, units: &[(&str, f64)], convert: fn(f64, f64) -> f64) -> Option<f64> {
    let (number, scale) = units.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))?;
    let number: f64 = number.trim().parse().ok()?;
    let scaled = convert(number, *scale);
    (scaled.is_finite() && scaled > 0.0).then_some(scaled)
}
