//! Data sets in CSV: numbers separated by commas, with a header.

use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, Source, Span, nearest};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;

/// Column with the class of a sample.
const LABEL: &str = "label";

/// Parses the fields `features` (`f32`) and `label` (`i64`).
pub(super) fn fields(name: &str, text: &str) -> Result<IndexMap<String, Tensor>, Diagnostic> {
    let bad = |what: String| Diagnostic::new(Code::S001, format!("`{name}` is not a data set: {what}"));
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((_, header)) = lines.next() else { return Err(bad("it is empty".into())) };
    let columns: Vec<&str> = header.split(',').map(str::trim).collect();
    let Some(label) = columns.iter().position(|&c| c == LABEL) else {
        let error = bad(format!("it has no column `{LABEL}`"));
        return Err(match nearest(LABEL, columns.iter().copied()) {
            Some(near) => error.help(format!("rename the column `{near}` to `{LABEL}`")),
            None => error.note(format!("the first line names the columns; it has {}", columns.len())),
        });
    };
    let (mut labels, mut features) = (Vec::new(), Vec::new());
    for (number, line) in lines {
        let entries = line.split(',').count();
        if entries != columns.len() {
            let what = format!("line {} has {entries} entries, but the header has {}", number + 1, columns.len());
            return Err(bad(what).on_line(name, number as u32 + 1));
        }
        for (column, entry) in line.split(',').enumerate() {
            let unreadable = |expected: &str| {
                let at = entry.as_ptr() as usize - text.as_ptr() as usize;
                let span = Span::new(&Source::new(name, text), at..at + entry.len());
                let error = bad(format!("`{}` is not a number", entry.trim()));
                error.label(span, format!("expected {expected} in column `{}`", columns[column]))
            };
            if column == label {
                let class = entry.trim().parse::<i64>().ok().filter(|&n| n >= 0);
                labels.push(class.ok_or_else(|| unreadable("a whole number, 0 or more,"))?);
            } else {
                let number = entry.trim().parse::<f64>().ok();
                features.push(number.ok_or_else(|| unreadable("a number"))?);
            }
        }
    }
    if labels.is_empty() {
        return Err(bad("it has a header but no samples".into()));
    }
    let (samples, width) = (labels.len(), columns.len() - 1);
    let mut fields = IndexMap::new();
    if width > 0 {
        let ty = Type::new(DType::F32, [samples, width]);
        fields.insert("features".to_owned(), Tensor::from_floats(ty, features));
    }
    fields.insert(LABEL.to_owned(), Tensor::from_ints(Type::new(DType::I64, [samples]), labels));
    Ok(fields)
}
