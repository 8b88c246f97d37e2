//! Concatenation of examples into batches, and splitting of batches.

use partita_ir::dtype::Type;
use partita_ir::tensor::{Data, Tensor};
use std::ops::Range;

/// Concatenates rows of tensors into a tensor of type `ty` with `count` rows. If `parts` have fewer rows, the last row
/// is repeated. All parts must have the element type of `ty`.
pub fn concat_rows(parts: &[(&Tensor, Range<usize>)], count: usize, ty: &Type) -> Tensor {
    let row_size = ty.shape.get(1..).unwrap_or_default().iter().product::<usize>();
    let mut data = match parts.first().map(|(tensor, _)| &tensor.data) {
        Some(Data::F32(_)) => Data::F32(Vec::with_capacity(count * row_size)),
        Some(Data::F64(_)) => Data::F64(Vec::with_capacity(count * row_size)),
        Some(Data::Int(_)) | None => Data::Int(Vec::with_capacity(count * row_size)),
    };
    for (tensor, rows) in parts {
        let elements = rows.start * row_size..rows.end * row_size;
        match (&mut data, &tensor.data) {
            (Data::F32(to), Data::F32(from)) => to.extend_from_slice(from.get(elements).unwrap_or_default()),
            (Data::F64(to), Data::F64(from)) => to.extend_from_slice(from.get(elements).unwrap_or_default()),
            (Data::Int(to), Data::Int(from)) => to.extend_from_slice(from.get(elements).unwrap_or_default()),
            _ => {}
        }
    }
    match &mut data {
        Data::F32(rows) => repeat_last(rows, count, row_size),
        Data::F64(rows) => repeat_last(rows, count, row_size),
        Data::Int(rows) => repeat_last(rows, count, row_size),
    }
    Tensor { ty: ty.clone(), data }
}

/// Appends copies of the last row until there are `count` rows of `row_size` elements.
fn repeat_last<T: Copy>(rows: &mut Vec<T>, count: usize, row_size: usize) {
    while row_size > 0 && rows.len() >= row_size && rows.len() < count * row_size {
        rows.extend_from_within(rows.len() - row_size..);
    }
}

/// Copies a range of rows of a tensor.
pub fn slice_rows(tensor: &Tensor, rows: Range<usize>) -> Tensor {
    let mut ty = tensor.ty.clone();
    if let Some(first) = ty.shape.0.first_mut() {
        *first = rows.len();
    }
    concat_rows(&[(tensor, rows.clone())], rows.len(), &ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::dtype::DType;

    #[test]
    fn rows_are_concatenated_and_the_last_one_is_repeated() {
        let ty = |n: usize| Type::new(DType::I32, [n, 2]);
        let a = Tensor::from_ints(ty(2), vec![1, 2, 3, 4]);
        let b = Tensor::from_ints(ty(2), vec![5, 6, 7, 8]);
        let all = concat_rows(&[(&a, 1..2), (&b, 0..2)], 5, &ty(5));
        assert_eq!(all, Tensor::from_ints(ty(5), vec![3, 4, 5, 6, 7, 8, 7, 8, 7, 8]));
        assert_eq!(slice_rows(&all, 1..3), b);
    }
}
