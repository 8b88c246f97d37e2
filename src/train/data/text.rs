//! Data sets of characters: sequences of a text, with the next character of each position as its target.

use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use std::collections::BTreeSet;

/// Returns the fields `tokens` and `targets`, and the characters by token id.
pub(super) fn fields(name: &str, text: &str, seq: usize) -> Result<(IndexMap<String, Tensor>, Vec<char>), Diagnostic> {
    let vocabulary: Vec<char> = text.chars().collect::<BTreeSet<char>>().into_iter().collect();
    let numbers: Vec<i64> = text.chars().map(|c| vocabulary.binary_search(&c).unwrap_or_default() as i64).collect();
    let samples = numbers.len().saturating_sub(1) / seq.max(1);
    if samples == 0 {
        let title =
            format!("`{name}` is not a data set: its {} characters are too few for a sequence of {seq}", numbers.len());
        let more = "a sequence needs one more character, since each character is predicted from those before";
        return Err(Diagnostic::new(Code::S001, title).note(more));
    }
    let field = |ahead: usize| {
        let ty = Type::new(DType::I64, [samples, seq]);
        Tensor::from_ints(ty, numbers[ahead..ahead + samples * seq].to_vec())
    };
    let fields = [("tokens".to_owned(), field(0)), ("targets".to_owned(), field(1))];
    Ok((fields.into(), vocabulary))
}
