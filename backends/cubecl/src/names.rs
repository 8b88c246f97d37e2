//! Names of kernels and of their entry points. They contain the ops, the element type and the sizes, as in
//! `matmul_bf16_1024x4096x1024` or `fused_add_layer_norm_f32_8x1024`.

use crate::kernels::attention::AttentionSizes;
use crate::kernels::half::Half;
use crate::kernels::product::MatmulSizes;
use crate::kernels::steps::{RegClass, Step};
use crate::spec::{FloatType, KernelSpec, ProductKind};
use partita_gpu::module::Purpose;
use rustc_hash::FxHashSet;

/// Maximum characters of the op names in a kernel name, since profilers truncate long names.
const MAX_OP_NAME_CHARS: usize = 40;

/// Generator of unique kernel names, which are identifiers in every target's language.
#[derive(Default)]
pub(crate) struct Names(FxHashSet<String>);

impl Names {
    /// Returns the name of the next kernel. Duplicate names get a numeric suffix.
    pub(crate) fn next(&mut self, spec: &KernelSpec, purpose: &Purpose) -> String {
        let (numbers, sizes) = numbers_and_sizes(spec);
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        let name = format!("{}_{numbers}_{}", ops(spec, purpose), sizes.join("x"));
        let mut all = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}_{number}")));
        let own = all.find(|name| !self.0.contains(name)).unwrap_or_default();
        self.0.insert(own.clone());
        own
    }
}

/// Returns the names of the kernel's ops, or the kind of the kernel if there are none.
fn ops(spec: &KernelSpec, purpose: &Purpose) -> String {
    // Purposes list repeated ops as `2 add`.
    let kinds: Vec<&str> = purpose.ops.iter().filter_map(|op| op.split(' ').next_back()).collect();
    let is_one_of_several = matches!(spec, KernelSpec::QueryGradient(..) | KernelSpec::KeyValueGradients(..));
    match &kinds[..] {
        _ if is_one_of_several => spec.name().to_owned(),
        [] => spec.name().to_owned(),
        [one] => (*one).to_owned(),
        _ => {
            let mut name = "fused".to_owned();
            for (i, kind) in kinds.iter().enumerate() {
                if name.len() + kind.len() >= MAX_OP_NAME_CHARS {
                    return format!("{name}_and_{}_more", kinds.len() - i);
                }
                name.push('_');
                name.push_str(kind);
            }
            name
        }
    }
}

/// Returns the element type that a kernel computes with or stores, and its sizes.
fn numbers_and_sizes(spec: &KernelSpec) -> (&'static str, Vec<usize>) {
    match spec {
        KernelSpec::Pointwise { count, steps, .. } => (stored_type(steps), vec![*count]),
        KernelSpec::Horizontal { parts, .. } => {
            let all = parts.iter().flat_map(|part| &part.steps);
            (stored_type(all), vec![parts.iter().map(|part| part.count).sum()])
        }
        KernelSpec::Reduce { lines, each, once, .. } => {
            (stored_type(each.iter().chain(once)), vec![lines.count, lines.items])
        }
        KernelSpec::Product { kind, epilogue, .. } => match kind {
            ProductKind::Words(sizes) => ("f32", product_sizes(sizes)),
            ProductKind::Narrow(sizes, _, float) => (float_name(*float), product_sizes(sizes)),
            ProductKind::Computed(sizes) => (stored_type(epilogue), batched(sizes.batch, &[sizes.m, sizes.k, sizes.n])),
        },
        KernelSpec::Attention(sizes, float, _) => (float_name(*float), attention_sizes(sizes)),
        KernelSpec::QueryGradient(sizes, float, _) | KernelSpec::KeyValueGradients(sizes, float, _) => {
            (float_name(*float), attention_sizes(&sizes.attention))
        }
        KernelSpec::Fold(_, fold) => (stored_type(&fold.last), vec![fold.lines, fold.items]),
        KernelSpec::Scan(_, scan) => (stored_type(&scan.each), vec![scan.lines, scan.items]),
        KernelSpec::Merge(_, merge) => ("i32", vec![merge.lines, merge.items, merge.width]),
        KernelSpec::Scatter(_, scatter) => {
            (stored_type(&scatter.last), vec![scatter.rows, scatter.columns, scatter.updates])
        }
    }
}

fn batched(batch: usize, sizes: &[usize]) -> Vec<usize> {
    (batch != 1).then_some(batch).into_iter().chain(sizes.iter().copied()).collect()
}

fn product_sizes(sizes: &MatmulSizes) -> Vec<usize> {
    batched(sizes.batch, &[sizes.m, sizes.k, sizes.n])
}

fn attention_sizes(sizes: &AttentionSizes) -> Vec<usize> {
    let AttentionSizes { batch, rows, columns, key, value, .. } = *sizes;
    let all = [rows, columns, key, value];
    batched(batch, &all[..if key == value { 3 } else { 4 }])
}

fn float_name(float: FloatType) -> &'static str {
    match float {
        FloatType::F32 => "f32",
        FloatType::Bf16 => "bf16",
        FloatType::F16 => "f16",
    }
}

/// Returns the element type of the last store of a program.
fn stored_type<'s>(steps: impl IntoIterator<Item = &'s Step>) -> &'static str {
    let stores = steps.into_iter().filter_map(|step| match step {
        Step::Store { class, .. } | Step::StoreAt { class, .. } => Some(match class {
            RegClass::F32 => "f32",
            RegClass::I32 => "i32",
            RegClass::U32 => "u32",
            RegClass::Bool => "bool",
        }),
        Step::StoreHalf { half, .. } | Step::StoreHalfAt { half, .. } => Some(match half {
            Half::Bf16 => "bf16",
            Half::F16 => "f16",
        }),
        _ => None,
    });
    stores.last().unwrap_or("u32")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::steps::AddressMap;

    fn name(names: &mut Names, ops: &[&str]) -> String {
        let store = Step::StoreHalf { memory: 0, at: AddressMap::identity(), half: Half::Bf16, a: 0 };
        let spec = KernelSpec::Pointwise { reads: 0, writes: 1, count: 300, steps: vec![Step::Element, store] };
        names.next(&spec, &Purpose { ops: ops.iter().map(|&op| op.to_owned()).collect(), ..Purpose::default() })
    }

    #[test]
    fn names_contain_ops_and_are_unique() {
        let names = &mut Names::default();
        assert_eq!(name(names, &["exp"]), "exp_bf16_300");
        assert_eq!(name(names, &["exp"]), "exp_bf16_300_2");
        assert_eq!(name(names, &["exp"]), "exp_bf16_300_3");
        assert_eq!(name(names, &["2 add", "gelu"]), "fused_add_gelu_bf16_300");
        assert_eq!(name(names, &[]), "pointwise_bf16_300");
    }

    #[test]
    fn names_have_a_maximum_length() {
        let ops = ["layer_norm", "dynamic_update_slice", "select_and_scatter", "softmax", "reduce"];
        let long = name(&mut Names::default(), &ops);
        assert_eq!(long, "fused_layer_norm_dynamic_update_slice_and_3_more_bf16_300");
    }
}
