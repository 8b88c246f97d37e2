//! Signatures of lowered functions: a complex argument or result becomes two.

use crate::syntax::{Attr, Attrs, Element, LocatedType, ParsedFunc, TensorType};
use partita_ir::dtype::Type;

/// Returns the number of lowered values for a value of type `ty`.
fn part_count(ty: &TensorType) -> usize {
    match ty.element {
        Element::Token => 0,
        Element::Complex(_) => 2,
        Element::Plain(_) | Element::Quantized(_) => 1,
    }
}

/// Returns the attributes of the lowered arguments, the attributes of the lowered results, and their types.
pub(super) fn attributes<'a>(func: &ParsedFunc<'a>) -> (Vec<Attrs<'a>>, Vec<Attrs<'a>>, Vec<LocatedType>) {
    // Number of the first lowered value of each result.
    let mut first_parts = Vec::with_capacity(func.results.len());
    let mut total = 0;
    for written in &func.results {
        first_parts.push(total);
        total += part_count(&written.ty) as i64;
    }
    let mut arg_attrs = Vec::with_capacity(func.arg_attrs.len());
    for (arg, attrs) in func.body.args.iter().zip(&func.arg_attrs) {
        for part in 0..part_count(&arg.ty) as i64 {
            let mut attrs = attrs.clone();
            for (name, attr) in &mut attrs {
                // Only a valid number of a result is renumbered; the importer reports others.
                let output = attr.as_int().filter(|_| *name == "tf.aliasing_output");
                if let Some(&first) = output.and_then(|i| first_parts.get(usize::try_from(i).ok()?)) {
                    *attr = Attr::Int(first + part);
                }
            }
            arg_attrs.push(attrs);
        }
    }
    let mut result_attrs = Vec::with_capacity(func.result_attrs.len());
    let mut results = Vec::with_capacity(func.results.len());
    for (i, written) in func.results.iter().enumerate() {
        let shape = written.ty.shape.clone();
        let dtype = match &written.ty.element {
            Element::Plain(dtype) | Element::Complex(dtype) => *dtype,
            Element::Quantized(q) => q.storage,
            Element::Token => continue,
        };
        for _ in 0..part_count(&written.ty) {
            results.push(LocatedType { ty: Type { shape: shape.clone(), dtype }, at: written.at.clone() });
            if let Some(attrs) = func.result_attrs.get(i) {
                result_attrs.push(attrs.clone());
            }
        }
    }
    (arg_attrs, result_attrs, results)
}
