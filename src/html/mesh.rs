//! Meshes: the devices of each mesh as a grid, and the axes.

use super::page::Section;
use super::table::scrolling;
use crate::partition::Partition;
use crate::report::text::{list, plural};
use maud::{Markup, html};
use partita_ir::mesh::DeviceMesh;

/// Maximum number of devices of a mesh that is drawn.
const MAX_DRAWN_DEVICES: usize = 256;

/// Maximum number of columns of a mesh that is drawn.
const MAX_COLUMNS: usize = 32;

/// Renders the distinct meshes of a partition.
pub(super) fn section(partition: &Partition) -> Option<Section> {
    let planned = partition.planned_on_meshes();
    let is_staged = partition.schedule().is_some();
    let meshes: Vec<(String, &DeviceMesh)> = planned
        .iter()
        .filter_map(|(stages, program)| Some((stages_text(stages, is_staged), program.mesh()?.1)))
        .collect();
    (!meshes.is_empty()).then(|| {
        let body = html! {
            @for (number, (stages, mesh)) in meshes.iter().enumerate() {
                (grid(number, stages, mesh))
            }
        };
        Section::new("mesh", "Mesh", body)
    })
}

/// Formats the stages that are on a mesh. Empty for a partition without stages.
fn stages_text(stages: &[usize], is_staged: bool) -> String {
    match stages {
        _ if !is_staged => String::new(),
        [one] => format!(", stage {one}"),
        several => format!(", each of the stages {}", list(several)),
    }
}

/// Renders a mesh as a table: the last axis as columns, the coordinates of all other axes as rows.
fn grid(number: usize, stages: &str, mesh: &DeviceMesh) -> Markup {
    let axes: Vec<String> = mesh.axes.iter().map(|axis| format!("{}={}", axis.name, axis.size)).collect();
    let devices = mesh.devices.len();
    let caption = format!("{} ({}{stages})", axes.join(", "), plural(devices, "device"));
    let columns = mesh.axes.last().map_or(1, |axis| axis.size as usize).max(1);
    if devices > MAX_DRAWN_DEVICES || columns > MAX_COLUMNS {
        return html! { p { (caption) } };
    }
    let id = format!("mesh-{number}");
    scrolling(
        &id,
        html! {
            table.mesh {
                caption id={ (id) "-caption" } { (caption) }
                thead {
                    tr {
                        td { span.hidden { "Coordinates of the other axes" } }
                        @for column in 0..columns {
                            th scope="col" { (mesh.axes.last().map_or("", |axis| axis.name.as_str())) " " (column) }
                        }
                    }
                }
                tbody {
                    @for (row, devices) in mesh.devices.chunks(columns).enumerate() {
                        tr {
                            th scope="row" { (coordinates(mesh, row)) }
                            @for device in devices {
                                td { (device) }
                            }
                        }
                    }
                }
            }
        },
    )
}

/// Formats the coordinates of a row on all axes but the last one: `data 0, expert 1`.
fn coordinates(mesh: &DeviceMesh, row: usize) -> String {
    let Some((_, others)) = mesh.axes.split_last() else { return String::new() };
    let (mut rest, mut names) = (row, Vec::new());
    for axis in others.iter().rev() {
        let size = (axis.size as usize).max(1);
        names.push(format!("{} {}", axis.name, rest % size));
        rest /= size;
    }
    names.reverse();
    if names.is_empty() { "devices".to_owned() } else { names.join(", ") }
}
