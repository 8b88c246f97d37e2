//! Names of kernels, which are those of their entry points: what a kernel computes, of which numbers, and over how many
//! elements, as in `matmul_bf16_1024x4096x1024` or `fused_add_layer_norm_f32_8x1024`.

use crate::kernels::attention::Attend;
use crate::kernels::half::Half;
use crate::kernels::product::Sizes;
use crate::kernels::steps::{Lane, Step};
use crate::spec::{Factors, Float, Spec};
use partita_gpu::module::Purpose;
use rustc_hash::FxHashSet;

/// Names of ops take at most so many characters of a name: profilers cut long names off.
const LONGEST: usize = 40;

/// Gives each kernel of a module a name of its own, an identifier in every target's language.
#[derive(Default)]
pub(crate) struct Names(FxHashSet<String>);

impl Names {
    /// The name of the next kernel; of several that would have the same name, later ones have a number.
    pub(crate) fn next(&mut self, spec: &Spec, purpose: &Purpose) -> String {
        let (numbers, sizes) = numbers_and_sizes(spec);
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        let name = format!("{}_{numbers}_{}", ops(spec, purpose), sizes.join("x"));
        let mut all = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}_{number}")));
        let own = all.find(|name| !self.0.contains(name)).unwrap_or_default();
        self.0.insert(own.clone());
        own
    }
}

/// The ops of a kernel, or what it does where they do not tell.
fn ops(spec: &Spec, purpose: &Purpose) -> String {
    // Several ops of a kind are written `2 add`.
    let kinds: Vec<&str> = purpose.ops.iter().filter_map(|op| op.split(' ').next_back()).collect();
    let is_one_of_several = matches!(spec, Spec::QueryGradient(..) | Spec::KeyValueGradients(..));
    match &kinds[..] {
        _ if is_one_of_several => spec.name().to_owned(),
        [] => spec.name().to_owned(),
        [one] => (*one).to_owned(),
        _ => {
            let mut name = "fused".to_owned();
            for (i, kind) in kinds.iter().enumerate() {
                if name.len() + kind.len() >= LONGEST {
                    return format!("{name}_and_{}_more", kinds.len() - i);
                }
                name.push('_');
                name.push_str(kind);
            }
            name
        }
    }
}

/// The numbers that a kernel computes with or stores, and how many there are along the dimensions that it knows.
fn numbers_and_sizes(spec: &Spec) -> (&'static str, Vec<usize>) {
    match spec {
        Spec::Pointwise { count, steps, .. } => (stored(steps), vec![*count]),
        Spec::Together { parts, .. } => {
            let all = parts.iter().flat_map(|part| &part.steps);
            (stored(all), vec![parts.iter().map(|part| part.count).sum()])
        }
        Spec::Reduce { lines, each, once, .. } => (stored(each.iter().chain(once)), vec![lines.count, lines.items]),
        Spec::Product { of, epilogue, .. } => match of {
            Factors::Words(sizes) => ("f32", of_product(sizes)),
            Factors::Narrow(sizes, _, float) => (of_float(*float), of_product(sizes)),
            Factors::Computed(of) => (stored(epilogue), batched(of.batch, &[of.m, of.k, of.n])),
        },
        Spec::Attention(sizes, float, _) => (of_float(*float), of_attention(sizes)),
        Spec::QueryGradient(sizes, float, _) | Spec::KeyValueGradients(sizes, float, _) => {
            (of_float(*float), of_attention(&sizes.of))
        }
        Spec::Fold(_, fold) => (stored(&fold.last), vec![fold.lines, fold.items]),
        Spec::Scan(_, scan) => (stored(&scan.each), vec![scan.lines, scan.items]),
        Spec::Merge(_, merge) => ("i32", vec![merge.lines, merge.items, merge.width]),
        Spec::Scatter(_, scatter) => (stored(&scatter.last), vec![scatter.rows, scatter.columns, scatter.updates]),
    }
}

fn batched(batch: usize, sizes: &[usize]) -> Vec<usize> {
    (batch != 1).then_some(batch).into_iter().chain(sizes.iter().copied()).collect()
}

fn of_product(sizes: &Sizes) -> Vec<usize> {
    batched(sizes.batch, &[sizes.m, sizes.k, sizes.n])
}

fn of_attention(sizes: &Attend) -> Vec<usize> {
    let Attend { batch, rows, columns, key, value, .. } = *sizes;
    let all = [rows, columns, key, value];
    batched(batch, &all[..if key == value { 3 } else { 4 }])
}

fn of_float(float: Float) -> &'static str {
    match float {
        Float::F32 => "f32",
        Float::Bf16 => "bf16",
        Float::F16 => "f16",
    }
}

/// The numbers that a program stores last.
fn stored<'s>(steps: impl IntoIterator<Item = &'s Step>) -> &'static str {
    let stores = steps.into_iter().filter_map(|step| match step {
        Step::Store { lane, .. } | Step::StoreAt { lane, .. } => Some(match lane {
            Lane::F32 => "f32",
            Lane::I32 => "i32",
            Lane::U32 => "u32",
            Lane::Bool => "bool",
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
    use crate::kernels::steps::At;

    fn name(names: &mut Names, ops: &[&str]) -> String {
        let store = Step::StoreHalf { memory: 0, at: At::dense(), half: Half::Bf16, a: 0 };
        let spec = Spec::Pointwise { reads: 0, writes: 1, count: 300, steps: vec![Step::Element, store] };
        names.next(&spec, &Purpose { ops: ops.iter().map(|&op| op.to_owned()).collect(), ..Purpose::default() })
    }

    #[test]
    fn names_tell_what_is_computed_and_are_unique() {
        let names = &mut Names::default();
        assert_eq!(name(names, &["exp"]), "exp_bf16_300");
        assert_eq!(name(names, &["exp"]), "exp_bf16_300_2");
        assert_eq!(name(names, &["exp"]), "exp_bf16_300_3");
        assert_eq!(name(names, &["2 add", "gelu"]), "fused_add_gelu_bf16_300");
        assert_eq!(name(names, &[]), "pointwise_bf16_300");
    }

    #[test]
    fn names_are_not_long() {
        let ops = ["layer_norm", "dynamic_update_slice", "select_and_scatter", "softmax", "reduce"];
        let long = name(&mut Names::default(), &ops);
        assert_eq!(long, "fused_layer_norm_dynamic_update_slice_and_3_more_bf16_300");
    }
}
