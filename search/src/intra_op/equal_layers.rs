//! Equal layouts in all layers: those of one layer are used for the others.

use super::ChosenLayouts;
use partita_ir::arena::ValueId;
use partita_ir::layout::Layout;
use partita_ir::program::Program;
use partita_passes::planning::path_index::PathIndex;
use rustc_hash::FxHashMap;

/// Layer whose layouts are used for all layers. The first layer follows an embedding, which may suit other layouts.
const TYPICAL_LAYER: usize = 1;

/// Returns layouts in which the values of all layers have the layouts of the corresponding values of one layer. The
/// layers are the modules with the given paths; values without a counterpart keep their layout.
pub(crate) fn with_equal_layers(found: &ChosenLayouts, program: &Program, layers: &[String]) -> ChosenLayouts {
    let Some(typical) = layers.get(TYPICAL_LAYER) else { return found.clone() };
    let index = PathIndex::new(program);
    let counterpart = |value: ValueId| {
        let path = index.path(value);
        layers.iter().find_map(|layer| with_layer(&path, layer, typical))
    };
    let equal = |list: &[(ValueId, Layout)]| -> Vec<(ValueId, Layout)> {
        let by_path: FxHashMap<String, &Layout> =
            list.iter().map(|(value, layout)| (index.path(*value), layout)).collect();
        let of_typical = |value: ValueId| by_path.get(&counterpart(value)?).copied();
        list.iter().map(|(value, layout)| (*value, of_typical(*value).unwrap_or(layout).clone())).collect()
    };
    ChosenLayouts {
        inputs: equal(&found.inputs),
        values: equal(&found.values),
        stores: equal(&found.stores),
        gradients: equal(&found.gradients),
        solution: found.solution.clone(),
    }
}

/// Returns a path of a value inside a layer with another layer in its place. `None` for other paths.
fn with_layer(path: &str, layer: &str, other: &str) -> Option<String> {
    let (mark, name) = path.strip_prefix('%').map_or(("", path), |name| ("%", name));
    let dotted = format!(".{name}.");
    let at = dotted.find(&format!(".{layer}."))?;
    Some(format!("{mark}{}{other}{}", &name[..at], &name[at + layer.len()..]))
}

#[cfg(test)]
mod tests {
    use super::with_layer;

    #[test]
    fn layers_are_replaced_in_paths_and_names() {
        let replaced = |path| with_layer(path, "blocks.3", "blocks.1");
        assert_eq!(replaced("blocks.3.up.weight").as_deref(), Some("blocks.1.up.weight"));
        assert_eq!(replaced("optimizer.m.blocks.3.up").as_deref(), Some("optimizer.m.blocks.1.up"));
        assert_eq!(replaced("%blocks.3.matmul.3").as_deref(), Some("%blocks.1.matmul.3"));
        assert_eq!(replaced("blocks.31.up.weight"), None);
        assert_eq!(replaced("head.weight"), None);
    }
}
