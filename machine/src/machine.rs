//! Hardware descriptions: kinds of devices, nodes as graphs of links, and the network between nodes. A machine is read
//! from TOML ([`Machine::from_toml`]) or selected by name ([`Machine::named`]).
//!
//! Equal nodes are stored once with a count, so that a thousand of them cost as much as one. Rates are those of data
//! sheets, and their achieved fractions are stated separately ([`profile`]).

mod file;
pub mod host;
pub mod network;
mod presets;
mod print;
pub mod profile;
#[cfg(test)]
mod tests;
pub mod topology;

use host::Host;
use indexmap::IndexMap;
use partita_ir::dtype::DType;
use petgraph::unionfind::UnionFind;
pub use presets::PRESETS;
use profile::{AchievedLink, AchievedRates, KernelCosts, ReservedMemory};
use smol_str::SmolStr;

/// Devices and the connections between them.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// Name of the machine.
    pub name: SmolStr,
    /// Kinds of devices.
    pub kinds: Vec<DeviceKind>,
    /// Groups of equal nodes.
    pub nodes: Vec<Node>,
    /// Network bandwidth in bytes per second, shared by all nodes; `None` if only ports limit the bandwidth.
    pub network: Option<f64>,
    /// Measurements of a host whose devices share one process, or are divided among ranks.
    pub host: Option<Host>,
}

/// Kind of device.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceKind {
    /// Name of the kind.
    pub name: SmolStr,
    /// Matrix multiplication rate by dtype, in operations per second. The rate of `f32` also applies to all other
    /// operations.
    pub rates: IndexMap<DType, f64>,
    /// Memory capacity in bytes.
    pub memory: u64,
    /// Memory bandwidth in bytes per second.
    pub bandwidth: f64,
    /// Fractions of the rates above that kernels reach.
    pub achieved: AchievedRates,
    /// Fractions that kernels of older software reach, if they differ.
    pub earlier: Option<AchievedRates>,
    /// Fixed costs and granularity of kernels.
    pub kernels: KernelCosts,
    /// Memory that holds no tensor.
    pub reserved: ReservedMemory,
    /// Typical relative error of predicted steps.
    pub uncertainty: f64,
}

/// Group of equal nodes.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Name of the nodes.
    pub name: SmolStr,
    /// Number of equal nodes.
    pub count: usize,
    /// Devices of one node, as indices into [`Machine::kinds`].
    pub devices: Vec<usize>,
    /// Switches of one node.
    pub switches: Vec<Switch>,
    /// Links of one node.
    pub links: Vec<Link>,
    /// Network ports of one node.
    pub ports: Vec<Port>,
}

/// Switch, such as an NVSwitch or a PCIe root complex.
#[derive(Clone, PartialEq, Debug)]
pub struct Switch {
    /// Name of the switch.
    pub name: SmolStr,
    /// Total bandwidth of the switch in bytes per second; `None` if only links limit the bandwidth.
    pub bandwidth: Option<f64>,
}

/// End of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Vertex {
    /// Device, by its index in the node.
    Device(usize),
    /// Switch, by its index in the node.
    Switch(usize),
}

/// Link between two vertices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Link {
    /// Ends of the link.
    pub ends: [Vertex; 2],
    /// Bandwidth in bytes per second: per direction, or of both directions together if the link is shared.
    pub bandwidth: f64,
    /// Latency of the first byte in seconds.
    pub latency: f64,
    /// True if both directions share the bandwidth, as on a bus.
    pub is_shared: bool,
    /// Achieved performance.
    pub achieved: AchievedLink,
}

/// Network port of a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Port {
    /// Vertex with the port.
    pub at: Vertex,
    /// Bandwidth per direction in bytes per second.
    pub bandwidth: f64,
    /// Seconds until the first byte arrives at another node.
    pub latency: f64,
    /// Achieved performance.
    pub achieved: AchievedLink,
}

impl Machine {
    /// Returns the number of devices.
    pub fn device_count(&self) -> usize {
        self.nodes.iter().map(|node| node.count * node.devices.len()).sum()
    }

    /// Returns the kind of a device. Devices are numbered node by node.
    pub fn kind_of(&self, device: usize) -> Option<&DeviceKind> {
        let mut left = device;
        for node in &self.nodes {
            let all = node.count * node.devices.len();
            if left < all {
                return self.kinds.get(node.devices[left % node.devices.len()]);
            }
            left -= all;
        }
        None
    }
}

impl Machine {
    /// Returns the slowest kind among the given devices, by `bf16` rate.
    pub fn slowest_kind(&self, devices: impl IntoIterator<Item = usize>) -> Option<&DeviceKind> {
        let kinds = devices.into_iter().filter_map(|device| self.kind_of(device));
        kinds.min_by(|a, b| a.rate(DType::BF16).total_cmp(&b.rate(DType::BF16)))
    }

    /// Returns the achieved performance of the links that a collective of these devices uses: the ports if the devices
    /// are in several nodes, and the links of their node otherwise.
    pub fn achieved_link(&self, devices: &[usize]) -> AchievedLink {
        let mut nodes = devices.iter().filter_map(|&device| self.locate_device(device));
        let Some((first, number, _)) = nodes.next() else { return AchievedLink::default() };
        let is_one_node = nodes.all(|(kind, other, _)| (kind, other) == (first, number));
        let node = &self.nodes[first];
        let links = node.links.iter().filter(|_| is_one_node).map(|link| link.achieved);
        let ports = node.ports.iter().filter(|_| !is_one_node).map(|port| port.achieved);
        links.chain(ports).reduce(AchievedLink::combined).unwrap_or_default()
    }
}

impl DeviceKind {
    /// Returns the matrix multiplication rate of a dtype in operations per second; the rate of `f32` if none is given
    /// for the dtype.
    pub fn rate(&self, dtype: DType) -> f64 {
        let rate = self.rates.get(&dtype).or_else(|| self.rates.get(&DType::F32));
        rate.copied().unwrap_or_default()
    }

    /// Typical relative error of predicted steps on a kind without published steps.
    pub const UNCERTAINTY: f64 = 0.2;

    /// Returns the fraction of the matrix rate that large products of a dtype reach.
    pub fn achieved_products(&self, dtype: DType) -> f64 {
        self.achieved.products_of(dtype)
    }

    /// Returns the fractions that older software reaches.
    pub fn earlier_rates(&self) -> &AchievedRates {
        self.earlier.as_ref().unwrap_or(&self.achieved)
    }
}

impl Node {
    /// Returns the number of vertices: devices and switches.
    pub fn vertex_count(&self) -> usize {
        self.devices.len() + self.switches.len()
    }

    /// Returns the index of a vertex in its node. Devices precede switches.
    pub fn vertex_index(&self, vertex: Vertex) -> usize {
        match vertex {
            Vertex::Device(device) => device,
            Vertex::Switch(switch) => self.devices.len() + switch,
        }
    }

    /// Returns the description of a vertex for messages.
    pub fn vertex_name(&self, vertex: Vertex) -> String {
        match vertex {
            Vertex::Device(device) => format!("device {device}"),
            Vertex::Switch(switch) => self.switches.get(switch).map_or("a switch".into(), |s| format!("`{}`", s.name)),
        }
    }

    /// Returns the first device that is not connected to device 0 by links.
    pub fn unreachable_device(&self) -> Option<usize> {
        let mut groups = UnionFind::<usize>::new(self.vertex_count());
        for link in &self.links {
            let [a, b] = link.ends.map(|end| self.vertex_index(end));
            groups.union(a, b);
        }
        (1..self.devices.len()).find(|&device| groups.find(device) != groups.find(0))
    }
}
