//! Machines as TOML.
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
//! switches.root.bandwidth = "24GB/s"        # what passes through it; without limit if it says none
//! links = [
//!     { between = ["0-1", "2-3"], bandwidth = "25GB/s", latency = "3us" },
//!     { between = ["*-root"], bandwidth = "12GB/s", latency = "5us", shared = true },
//! ]
//! ports = [{ at = ["root"], bandwidth = "12.5GB/s", latency = "5us" }]
//! ```
//!
//! `*` are all devices. `network = "1TB/s"` limits what all nodes send together. What was measured of devices that
//! share a process is in the table [`host`].

mod host;

use super::{Kind, Link, Machine, Node, Port, Switch, Vertex};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, Source, Span, nearest};
use partita_ir::dtype::DType;
use partita_ir::units::read_bytes;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::Spanned;

/// Most devices and switches of a node.
const MOST_VERTICES: usize = 1 << 12;

/// Most links of a node.
const MOST_LINKS: usize = 1 << 16;

/// Most nodes of a kind.
const MOST_NODES: usize = 1 << 20;

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
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PortRecord {
    at: Vec<Text>,
    bandwidth: Text,
    latency: Text,
}

impl Machine {
    /// Reads a machine.
    ///
    /// # Errors
    /// `H001` for what is not TOML or no machine, `H002` for one that contradicts itself; each with its line.
    pub fn from_toml(source: &Arc<Source>) -> Result<Machine, Diagnostic> {
        let file = File(source);
        let record: MachineRecord = toml::from_str(&source.text).map_err(|e| {
            let error = Diagnostic::new(Code::H001, format!("not a machine: {}", e.message()));
            error.at(file.span(e.span().unwrap_or_default()), "")
        })?;
        let kinds = in_order(record.kind).map(|(name, kind)| file.kind(&name, kind)).collect::<Result<Vec<_>, _>>()?;
        let nodes = in_order(record.node).map(|(name, node)| file.node(&name, node, &kinds));
        let nodes = nodes.collect::<Result<Vec<Node>, Diagnostic>>()?;
        if nodes.is_empty() {
            let none = Diagnostic::new(Code::H002, "the machine has no nodes");
            return Err(none.at(file.span(0..0), "").help("a node is a table: [node.name], devices = [\"8 V100\"]"));
        }
        let network = record.network.map(|text| file.per_second(&text)).transpose()?;
        let host = record.host.map(|host| file.host(host)).transpose()?;
        let name = record.name.unwrap_or_else(|| source.name.clone());
        Ok(Machine { name: name.into(), kinds, nodes, network, host })
    }
}

/// Entries in the order of the file.
fn in_order<T>(table: Table<T>) -> impl Iterator<Item = (Text, T)> {
    let mut entries: Vec<(Text, T)> = table.into_iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries.into_iter()
}

/// The file that is read.
struct File<'s>(&'s Arc<Source>);

impl File<'_> {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.0, range)
    }

    fn error(&self, code: Code, title: String, at: &Text) -> Diagnostic {
        Diagnostic::new(code, title).at(self.span(at.span()), "")
    }

    fn kind(&self, name: &Text, record: KindRecord) -> Result<Kind, Diagnostic> {
        let mut rates = IndexMap::new();
        for (dtype, rate) in in_order(record.flops) {
            let known = DType::from_name(dtype.get_ref());
            let unknown = || self.error(Code::H001, format!("`{}` is no element type", dtype.get_ref()), &dtype);
            rates.insert(known.ok_or_else(unknown)?, self.rate(&rate)?);
        }
        if !rates.contains_key(&DType::F32) {
            let title = format!("`{}` has no rate for f32, which is that of all but products", name.get_ref());
            return Err(self.error(Code::H002, title, name).help("flops = { f32 = \"15.7T\" }"));
        }
        let memory = self.bytes(&record.memory)?;
        Ok(Kind { name: name.get_ref().into(), rates, memory, bandwidth: self.per_second(&record.bandwidth)? })
    }

    fn node(&self, name: &Text, record: NodeRecord, kinds: &[Kind]) -> Result<Node, Diagnostic> {
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
            if !(1..=MOST_NODES).contains(&node.count) {
                let title = format!("{} nodes `{}`: there are 1 to {MOST_NODES}", node.count, node.name);
                return Err(Diagnostic::new(Code::H002, title).at(self.span(count.span()), ""));
            }
        }
        for devices in &record.devices {
            let (count, kind) = self.devices(devices, kinds)?;
            if node.devices.len() + count > MOST_VERTICES {
                return Err(self.error(Code::H002, format!("a node has at most {MOST_VERTICES} devices"), devices));
            }
            node.devices.extend(std::iter::repeat_n(kind, count));
        }
        for (name, switch) in in_order(record.switches) {
            let bandwidth = switch.bandwidth.map(|text| self.per_second(&text)).transpose()?;
            node.switches.push(Switch { name: name.get_ref().into(), bandwidth });
        }
        for link in &record.links {
            let (bandwidth, latency) = (self.per_second(&link.bandwidth)?, self.seconds(&link.latency)?);
            for pair in &link.between {
                let ends = self.pairs(&node, pair)?;
                node.links.extend(ends.into_iter().map(|ends| Link {
                    ends,
                    bandwidth,
                    latency,
                    is_shared: link.shared,
                }));
            }
        }
        for port in &record.ports {
            let (bandwidth, latency) = (self.per_second(&port.bandwidth)?, self.seconds(&port.latency)?);
            for at in &port.at {
                let places = self.vertices(&node, at, at.get_ref())?;
                node.ports.extend(places.into_iter().map(|at| Port { at, bandwidth, latency }));
            }
        }
        self.connected(name, &node)?;
        Ok(node)
    }

    /// Refuses devices that cannot reach each other.
    fn connected(&self, name: &Text, node: &Node) -> Result<(), Diagnostic> {
        let wrong = |title: String| self.error(Code::H002, title, name);
        if node.devices.is_empty() {
            return Err(wrong(format!("node `{}` has no devices", node.name)).help("devices = [\"8 V100\"]"));
        }
        if let Some(apart) = node.apart() {
            let title = format!("no links of node `{}` connect device {apart} with device 0", node.name);
            return Err(wrong(title)
                .help(format!("{{ between = [\"0-{apart}\"], bandwidth = \"12GB/s\", latency = \"5us\" }}")));
        }
        if node.count > 1 && node.ports.is_empty() {
            let title = format!("{} nodes `{}`, and none has a port to the network", node.count, node.name);
            return Err(wrong(title).help("ports = [{ at = [\"0\"], bandwidth = \"12.5GB/s\", latency = \"5us\" }]"));
        }
        Ok(())
    }

    /// `8 V100`, or `V100`: how many, and the kind.
    fn devices(&self, text: &Text, kinds: &[Kind]) -> Result<(usize, usize), Diagnostic> {
        let words: Vec<&str> = text.get_ref().split_whitespace().collect();
        let (count, name) = match words[..] {
            [name] => (Some(1), name),
            [count, name] => (count.parse().ok().filter(|n| *n > 0), name),
            _ => (None, ""),
        };
        let Some(count) = count else {
            let title = format!("`{}` says no number and kind of devices", text.get_ref());
            return Err(self.error(Code::H001, title, text).help("8 V100"));
        };
        let names = || kinds.iter().map(|kind| kind.name.as_str());
        let unknown = || {
            let error = self.error(Code::H002, format!("there is no kind of device `{name}`"), text);
            match nearest(name, names()) {
                Some(near) => error.help(format!("there is `{near}`")),
                None => error.help(format!("[kind.{name}] says what it is")),
            }
        };
        Ok((count, names().position(|known| known == name).ok_or_else(unknown)?))
    }

    /// `0-1`, `*-switch`: the ends of links.
    fn pairs(&self, node: &Node, text: &Text) -> Result<Vec<[Vertex; 2]>, Diagnostic> {
        let Some((a, b)) = text.get_ref().split_once('-') else {
            let title = format!("`{}` is no link: it is written with both ends, as in 0-1", text.get_ref());
            return Err(self.error(Code::H001, title, text));
        };
        let (a, b) = (self.vertices(node, text, a)?, self.vertices(node, text, b)?);
        if node.links.len() + a.len() * b.len() > MOST_LINKS {
            return Err(self.error(Code::H002, format!("a node has at most {MOST_LINKS} links"), text));
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

    /// A device, a switch, or all devices.
    fn vertices(&self, node: &Node, at: &Text, text: &str) -> Result<Vec<Vertex>, Diagnostic> {
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

    /// `15.7T`: operations a second.
    fn rate(&self, text: &Text) -> Result<f64, Diagnostic> {
        const UNITS: [(&str, f64); 4] = [("P", 1e15), ("T", 1e12), ("G", 1e9), ("", 1.0)];
        let rate = scaled(text.get_ref(), &UNITS, |number, scale| number * scale);
        rate.ok_or_else(|| self.amount(text, "operations a second, above 0: 15.7T"))
    }

    fn bytes(&self, text: &Text) -> Result<u64, Diagnostic> {
        read_bytes(text.get_ref()).filter(|n| *n > 0).ok_or_else(|| self.amount(text, "bytes, above 0: 32GB"))
    }

    fn per_second(&self, text: &Text) -> Result<f64, Diagnostic> {
        let bytes = text.get_ref().strip_suffix("/s").and_then(read_bytes).filter(|n| *n > 0);
        bytes.map(|n| n as f64).ok_or_else(|| self.amount(text, "bytes a second, above 0: 25GB/s"))
    }

    fn seconds(&self, text: &Text) -> Result<f64, Diagnostic> {
        // Divided, so that 5us is the number nearest to it.
        const UNITS: [(&str, f64); 4] = [("ns", 1e9), ("us", 1e6), ("ms", 1e3), ("s", 1.0)];
        let seconds = scaled(text.get_ref(), &UNITS, |number, scale| number / scale);
        seconds.ok_or_else(|| self.amount(text, "a time above 0: 3us"))
    }

    fn amount(&self, text: &Text, needed: &str) -> Diagnostic {
        self.error(Code::H001, format!("`{}` is not {needed}", text.get_ref()), text)
    }
}

/// A number above 0 with the first unit that it ends with.
fn scaled(text: &str, units: &[(&str, f64)], by: fn(f64, f64) -> f64) -> Option<f64> {
    let (number, scale) = units.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))?;
    let number: f64 = number.trim().parse().ok()?;
    let scaled = by(number, *scale);
    (scaled.is_finite() && scaled > 0.0).then_some(scaled)
}
