//! Evaluation of operations whose results have a shape that depends on their operands, which must be constant.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, dim, malformed};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::tensor::{Data, Scalar, Tensor};
use std::cmp::Ordering;

/// Maximum number of comparisons of boxes.
const MAX_COMPARISONS: u64 = 1 << 28;

/// Returns the elements of an operand. Errors: it is not constant.
fn constant<'c>(cx: &'c Lowering<'_>, value: ValueId, operand: &'static str) -> Result<&'c Tensor, LoweringError> {
    cx.constant_value(value).ok_or(LoweringError::NotConstant { operand, value })
}

/// Compares numbers of the same kind; NaN is larger than all others.
fn compare(x: Scalar, y: Scalar, dtype: DType) -> Ordering {
    match (x, y) {
        (Scalar::Int(x), Scalar::Int(y)) if dtype.is_unsigned() => (x as u64).cmp(&(y as u64)),
        (Scalar::Int(x), Scalar::Int(y)) => x.cmp(&y),
        (x, y) => {
            let (x, y) = (x.to_f64(), y.to_f64());
            x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
        }
    }
}

/// Lowers the distinct elements of a constant, or its distinct slices along a dimension, in ascending order or in order
/// of their first occurrence; with the index of the first occurrence, the number of the element for each operand, and
/// the number of occurrences.
pub fn unique(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let tensor = constant(cx, node.arg(0)?, "operand")?;
    let shape = &tensor.ty.shape;
    let dtype = tensor.ty.dtype;
    let axis = match node.has_attribute("axis") {
        true => Some(dim(node.int("axis", 0), shape.rank())?),
        false => None,
    };
    // The operand as `[before, slices, after]`.
    let (before, slices, after) = match axis {
        Some(axis) => {
            (shape[..axis].iter().product::<usize>(), shape[axis], shape[axis + 1..].iter().product::<usize>())
        }
        None => (1, shape.count(), 1),
    };
    let element = |slice: usize, i: usize| (i / after * slices + slice) * after + i % after;
    let order = |&x: &usize, &y: &usize| {
        let pairs = (0..before * after).map(|i| compare(tensor.get(element(x, i)), tensor.get(element(y, i)), dtype));
        pairs.fold(Ordering::Equal, Ordering::then)
    };
    let mut sorted: Vec<usize> = (0..slices).collect();
    sorted.sort_by(|x, y| order(x, y).then(x.cmp(y)));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for slice in sorted {
        match groups.last_mut() {
            Some(group) if order(&group[0], &slice) == Ordering::Equal => group.push(slice),
            _ => groups.push(vec![slice]),
        }
    }
    if !node.flag("sorted", true) {
        groups.sort_by_key(|group| group[0]);
    }
    let mut inverse = vec![0; slices];
    for (number, group) in groups.iter().enumerate() {
        group.iter().for_each(|&slice| inverse[slice] = number as i64);
    }
    let count = groups.len();
    let places: Vec<usize> = (0..before)
        .flat_map(|outer| groups.iter().map(move |group| (outer, group[0])))
        .flat_map(|(outer, slice)| (0..after).map(move |inner| (outer * slices + slice) * after + inner))
        .collect();
    let mut result_shape = if axis.is_some() { shape.clone() } else { Shape::from(&[0][..]) };
    result_shape[axis.unwrap_or(0)] = count;
    let data = match &tensor.data {
        Data::F64(items) => Data::F64(places.iter().map(|&i| items[i]).collect()),
        Data::F32(items) => Data::F32(places.iter().map(|&i| items[i]).collect()),
        Data::Int(items) => Data::Int(places.iter().map(|&i| items[i]).collect()),
    };
    let values = Tensor { ty: Type { dtype, shape: result_shape }, data };
    let ints = |items: Vec<i64>| Tensor::from_ints(Type::new(DType::I64, [items.len()]), items);
    let firsts = ints(groups.iter().map(|group| group[0] as i64).collect());
    let counts = ints(groups.iter().map(|group| group.len() as i64).collect());
    Ok([values, firsts, ints(inverse), counts].into_iter().map(Out::Constant).collect())
}

/// An axis-aligned box.
#[derive(Clone, Copy)]
struct Area {
    low: [f64; 2],
    high: [f64; 2],
}

impl Area {
    /// Creates a box from two opposite corners, or from its centre and size.
    fn from_numbers(numbers: [f64; 4], centred: bool) -> Area {
        let [a, b, c, d] = numbers;
        match centred {
            true => Area { low: [a - c / 2.0, b - d / 2.0], high: [a + c / 2.0, b + d / 2.0] },
            false => Area { low: [a.min(c), b.min(d)], high: [a.max(c), b.max(d)] },
        }
    }

    fn size(&self) -> f64 {
        (0..2).map(|d| (self.high[d] - self.low[d]).max(0.0)).product()
    }

    /// Returns the area of the intersection divided by that of the union.
    fn overlap(&self, other: &Area) -> f64 {
        let common = (0..2).map(|d| (self.high[d].min(other.high[d]) - self.low[d].max(other.low[d])).max(0.0));
        let common: f64 = common.product();
        let union = self.size() + other.size() - common;
        if self.size() <= 0.0 || other.size() <= 0.0 || union <= 0.0 { 0.0 } else { common / union }
    }
}

/// Lowers the selection of boxes with high scores that do not overlap much: for each batch and class, boxes are
/// selected in the order of their scores, unless they overlap with a selected one.
pub fn non_max_suppression(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (boxes, scores) = (constant(cx, node.arg(0)?, "boxes")?, constant(cx, node.arg(1)?, "scores")?);
    let ([batches, count, 4], &[score_batches, classes, scored]) = (&boxes.ty.shape[..], &scores.ty.shape[..]) else {
        return malformed(format!("has the boxes {} and the scores {}", boxes.ty, scores.ty));
    };
    let (&batches, &count) = (batches, count);
    if (score_batches, scored) != (batches, count) {
        return malformed(format!("has the boxes {} and the scores {}", boxes.ty, scores.ty));
    }
    let number = |i: usize, what| node.optional(i).map(|value| cx.constant_number(value, what)).transpose();
    let limit = number(2, "number of boxes")?.map_or(0, |n| n.max(0.0) as usize).min(count);
    let threshold = number(3, "overlap threshold")?.unwrap_or(0.0);
    let least_score = number(4, "score threshold")?;
    let work = [batches, classes, count, limit].iter().fold(1u64, |work, &n| work.saturating_mul(n as u64));
    if work > MAX_COMPARISONS {
        return Err(LoweringError::TooLarge(format!("{work} comparisons of boxes")));
    }
    let centred = node.flag("center_point_box", false);
    let at = |tensor: &Tensor, i: usize| tensor.get(i).to_f64();
    let area = |batch: usize, i: usize| {
        let numbers = [0, 1, 2, 3].map(|k| at(boxes, (batch * count + i) * 4 + k));
        Area::from_numbers(numbers, centred)
    };
    let mut selected = Vec::new();
    for (batch, class) in (0..batches).flat_map(|batch| (0..classes).map(move |class| (batch, class))) {
        let score = |i: usize| at(scores, (batch * classes + class) * count + i);
        let mut candidates: Vec<usize> =
            (0..count).filter(|&i| least_score.is_none_or(|least| score(i) > least)).collect();
        candidates.sort_by(|&i, &j| score(j).partial_cmp(&score(i)).unwrap_or(Ordering::Equal).then(i.cmp(&j)));
        let mut chosen: Vec<Area> = Vec::new();
        for i in candidates {
            if chosen.len() == limit {
                break;
            }
            let area = area(batch, i);
            if chosen.iter().all(|other| area.overlap(other) <= threshold) {
                chosen.push(area);
                selected.extend([batch as i64, class as i64, i as i64]);
            }
        }
    }
    let ty = Type::new(DType::I64, [selected.len() / 3, 3]);
    super::lowering::constant_result(Tensor::from_ints(ty, selected))
}
