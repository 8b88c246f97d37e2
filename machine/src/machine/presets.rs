//! Preset machines, after the data sheets of their vendors.

use super::{Machine, Node};
use partita_ir::diag::{Code, Diagnostic, Source, nearest};

/// Names and TOML files of the preset machines.
pub const PRESETS: [(&str, &str); 7] = [
    ("dgx1-v100", include_str!("presets/dgx1-v100.toml")),
    ("dgx2", include_str!("presets/dgx2.toml")),
    ("dgx-a100", include_str!("presets/dgx-a100.toml")),
    ("hgx-h100", include_str!("presets/hgx-h100.toml")),
    ("hgx-h200", include_str!("presets/hgx-h200.toml")),
    ("pcie4", include_str!("presets/pcie4.toml")),
    ("k80+v100", include_str!("presets/k80+v100.toml")),
];

impl Machine {
    /// Returns the preset machine of that name, optionally with a number of nodes: `dgx-a100`, `dgx-a100?nodes=8`.
    ///
    /// # Errors
    /// `C002` for an unknown name or an invalid option.
    pub fn named(text: &str) -> Result<Machine, Diagnostic> {
        let (name, options) = text.split_once('?').unwrap_or((text, ""));
        let Some((_, file)) = PRESETS.iter().find(|(known, _)| *known == name) else {
            let names = PRESETS.map(|(name, _)| name);
            let unknown = Diagnostic::new(Code::C002, format!("unknown machine `{name}`"));
            let unknown = unknown
                .note(format!("the machines are {}; a path to a TOML file is accepted as well", names.join(", ")));
            return Err(match nearest(name, names) {
                Some(near) => unknown.help(format!("a similar name is `{near}`")),
                None => unknown,
            });
        };
        let mut machine = Machine::from_toml(&Source::new(name, *file))?;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let count = option.strip_prefix("nodes=").and_then(|count| count.parse().ok());
            let nodes: &mut [Node] = &mut machine.nodes;
            match (count, nodes) {
                (Some(count @ 1..=1_048_576), [node]) if count == 1 || !node.ports.is_empty() => node.count = count,
                _ => {
                    let title = format!("`{name}` has no option `{option}`");
                    return Err(
                        Diagnostic::new(Code::C002, title).help(format!("set the number of nodes: {name}?nodes=8"))
                    );
                }
            }
        }
        Ok(machine)
    }

    /// Returns the name of a preset machine with at least `devices` devices: this one with more nodes, or DGX A100
    /// nodes if this one is no preset or has no network.
    pub fn name_with_devices(&self, devices: usize) -> String {
        let with_nodes = |name: &str| {
            let of_node = Machine::named(name).ok()?.device_count().max(1);
            let larger = format!("{name}?nodes={}", devices.div_ceil(of_node));
            Machine::named(&larger).ok().map(|_| larger)
        };
        with_nodes(&self.name).or_else(|| with_nodes("dgx-a100")).unwrap_or_else(|| "dgx-a100".to_owned())
    }
}
