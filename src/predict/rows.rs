//! Rows of tensors: examples put together to a batch, and a batch taken apart.

use partita_ir::dtype::Type;
use partita_ir::tensor::{Data, Tensor};
use std::ops::Range;

/// A tensor of `count` rows from those of others, in order; when they are fewer, the last one is repeated. The rows
/// have the type's shape.
pub fn filled(parts: &[(&Tensor, Range<usize>)], count: usize, ty: &Type) -> Tensor {
    let each = ty.shape.get(1..).unwrap_or_default().iter().product::<usize>();
    let mut data = match parts.first().map(|(tensor, _)| &tensor.data) {
        Some(Data::F32(_)) => Data::F32(Vec::with_capacity(count * each)),
        Some(Data::F64(_)) => Data::F64(Vec::with_capacity(count * each)),
        Some(Data::Int(_)) | None => Data::Int(Vec::with_capacity(count * each)),
    };
    for (tensor, rows) in parts {
        let elements = rows.start * each..rows.end * each;
        match (&mut data, &tensor.data) {
            (Data::F32(to), Data::F32(from)) => to.extend_from_slice(from.get(elements).unwrap_or_default()),
            (Data::F64(to), Data::F64(from)) => to.extend_from_slice(from.get(elements).unwrap_or_default()),
            (Data::Int(to), Data::Int(from)) => to.extend_from_slice(from.get(elements).unwrap_or_default()),
            _ => {}
        }
    }
    match &mut data {
        Data::F32(rows) => repeat_last(rows, count, each),
        Data::F64(rows) => repeat_last(rows, count, each),
        Data::Int(rows) => repeat_last(rows, count, each),
    }
    Tensor { ty: ty.clone(), data }
}

fn repeat_last<T: Copy>(rows: &mut Vec<T>, count: usize, each: usize) {
    while each > 0 && rows.len() >= each && rows.len() < count * each {
        rows.extend_from_within(rows.len() - each..);
    }
}

/// Some rows of a tensor.
pub fn taken(tensor: &Tensor, rows: Range<usize>) -> Tensor {
    let mut ty = tensor.ty.clone();
    if let Some(first) = ty.shape.0.first_mut() {
        *first = rows.len();
    }
    filled(&[(tensor, rows.clone())], rows.len(), &ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::dtype::DType;

    #[test]
    fn rows_are_put_together_and_the_last_one_is_repeated() {
        let ty = |n: usize| Type::new(DType::I32, [n, 2]);
        let a = Tensor::from_ints(ty(2), vec![1, 2, 3, 4]);
        let b = Tensor::from_ints(ty(2), vec![5, 6, 7, 8]);
        let all = filled(&[(&a, 1..2), (&b, 0..2)], 5, &ty(5));
        assert_eq!(all, Tensor::from_ints(ty(5), vec![3, 4, 5, 6, 7, 8, 7, 8, 7, 8]));
        assert_eq!(taken(&all, 1..3), b);
    }
}
