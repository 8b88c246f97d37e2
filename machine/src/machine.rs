//! The hardware that programs are planned for: kinds of devices, nodes with links as a graph, and the network between
//! them. Plain data, read from TOML ([`Machine::from_toml`]) or taken by name ([`Machine::named`]).
//!
//! A node is kept once however often it is there, so that a thousand of them cost what one does. Rates are what data
//! sheets say; how much of that is reached is for a cost model to know.

mod file;
pub mod host;
mod presets;
mod print;
#[cfg(test)]
mod tests;
pub mod topology;

use host::Host;
use indexmap::IndexMap;
use partita_ir::dtype::DType;
use petgraph::unionfind::UnionFind;
pub use presets::PRESETS;
use smol_str::SmolStr;

/// Devices, and how they are connected.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// What it is called.
    pub name: SmolStr,
    /// Kinds of devices.
    pub kinds: Vec<Kind>,
    /// Nodes, those that are alike together.
    pub nodes: Vec<Node>,
    /// Bytes that the network carries in a second, all nodes together; nothing where only ports limit it.
    pub network: Option<f64>,
    /// What was measured of it, when its devices share a process.
    pub host: Option<Host>,
}

/// A kind of device.
#[derive(Clone, PartialEq, Debug)]
pub struct Kind {
    /// What it is called.
    pub name: SmolStr,
    /// Operations a second in products of matrices of a dtype. That of `f32` is also the rate of everything else.
    pub rates: IndexMap<DType, f64>,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes that it reads or writes in a second.
    pub bandwidth: f64,
}

/// Nodes that are alike.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// What they are called.
    pub name: SmolStr,
    /// How many there are.
    pub count: usize,
    /// The devices of one of them, by position in [`Machine::kinds`].
    pub devices: Vec<usize>,
    /// What passes on what comes in.
    pub switches: Vec<Switch>,
    /// Links of one of them.
    pub links: Vec<Link>,
    /// Where one of them has the network.
    pub ports: Vec<Port>,
}

/// What passes on what comes in: NVSwitch, a PCIe root.
#[derive(Clone, PartialEq, Debug)]
pub struct Switch {
    /// What it is called.
    pub name: SmolStr,
    /// Bytes that pass through it in a second, all links together; nothing where only links limit it.
    pub bandwidth: Option<f64>,
}

/// An end of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Vertex {
    /// The device of that number in its node.
    Device(usize),
    /// The switch of that number in its node.
    Switch(usize),
}

/// A link between two vertices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Link {
    /// Its ends.
    pub ends: [Vertex; 2],
    /// Bytes a second: in each direction, unless they share it.
    pub bandwidth: f64,
    /// Seconds until the first byte arrives.
    pub latency: f64,
    /// Whether both directions share the bandwidth, as on a bus.
    pub is_shared: bool,
}

/// A place where a node has the network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Port {
    /// The vertex that has it.
    pub at: Vertex,
    /// Bytes a second in each direction.
    pub bandwidth: f64,
    /// Seconds until the first byte arrives at another node.
    pub latency: f64,
}

impl Machine {
    /// How many devices there are.
    pub fn device_count(&self) -> usize {
        self.nodes.iter().map(|node| node.count * node.devices.len()).sum()
    }

    /// The kind of the device of that number, where nodes and their devices are counted in order.
    pub fn kind_of(&self, device: usize) -> Option<&Kind> {
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
    /// The kind of device that the others of these wait for.
    pub fn slowest(&self, devices: impl IntoIterator<Item = usize>) -> Option<&Kind> {
        let kinds = devices.into_iter().filter_map(|device| self.kind_of(device));
        kinds.min_by(|a, b| a.rate(DType::BF16).total_cmp(&b.rate(DType::BF16)))
    }
}

impl Kind {
    /// Operations a second in products of matrices of a dtype, if there is a rate for it; else that of `f32`.
    pub fn rate(&self, dtype: DType) -> f64 {
        let rate = self.rates.get(&dtype).or_else(|| self.rates.get(&DType::F32));
        rate.copied().unwrap_or_default()
    }
}

impl Node {
    /// How many vertices it has.
    pub fn vertex_count(&self) -> usize {
        self.devices.len() + self.switches.len()
    }

    /// The number of a vertex among all of its node: devices come first.
    pub fn number(&self, vertex: Vertex) -> usize {
        match vertex {
            Vertex::Device(device) => device,
            Vertex::Switch(switch) => self.devices.len() + switch,
        }
    }

    /// What messages call a vertex.
    pub fn vertex_name(&self, vertex: Vertex) -> String {
        match vertex {
            Vertex::Device(device) => format!("device {device}"),
            Vertex::Switch(switch) => self.switches.get(switch).map_or("a switch".into(), |s| format!("`{}`", s.name)),
        }
    }

    /// The first device that no links connect with device 0.
    pub fn apart(&self) -> Option<usize> {
        let mut groups = UnionFind::<usize>::new(self.vertex_count());
        for link in &self.links {
            let [a, b] = link.ends.map(|end| self.number(end));
            groups.union(a, b);
        }
        (1..self.devices.len()).find(|&device| groups.find(device) != groups.find(0))
    }
}
