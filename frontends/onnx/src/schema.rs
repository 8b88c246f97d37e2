//! Signatures of operations by version: numbers of operands and results, and attributes with their types.
//!
//! `schema.txt` has one row for each operation and each opset that changed it, generated from the definitions of ONNX.

use crate::proto::{AttributeProto, NodeProto};
use partita_ir::diag::nearest;
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Type of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttributeType {
    Float,
    Int,
    Text,
    Tensor,
    Graph,
    Floats,
    Ints,
    Texts,
    Sparse,
    Type,
}

impl AttributeType {
    /// All types with their names in the table.
    const NAMES: [(&str, AttributeType); 10] = [
        ("float", AttributeType::Float),
        ("int", AttributeType::Int),
        ("text", AttributeType::Text),
        ("tensor", AttributeType::Tensor),
        ("graph", AttributeType::Graph),
        ("floats", AttributeType::Floats),
        ("ints", AttributeType::Ints),
        ("texts", AttributeType::Texts),
        ("sparse", AttributeType::Sparse),
        ("type", AttributeType::Type),
    ];

    /// Returns the `AttributeProto.AttributeType`.
    const fn number(self) -> i32 {
        match self {
            AttributeType::Float => 1,
            AttributeType::Int => 2,
            AttributeType::Text => 3,
            AttributeType::Tensor => 4,
            AttributeType::Graph => 5,
            AttributeType::Floats => 6,
            AttributeType::Ints => 7,
            AttributeType::Texts => 8,
            AttributeType::Sparse => 11,
            AttributeType::Type => 13,
        }
    }

    /// Returns the description that completes "must be ...".
    const fn name(self) -> &'static str {
        match self {
            AttributeType::Float => "a float",
            AttributeType::Int => "an integer",
            AttributeType::Text => "a text",
            AttributeType::Tensor => "a tensor",
            AttributeType::Graph => "a graph",
            AttributeType::Floats => "a list of floats",
            AttributeType::Ints => "a list of integers",
            AttributeType::Texts => "a list of texts",
            AttributeType::Sparse => "a sparse tensor",
            AttributeType::Type => "a type",
        }
    }

    /// Returns true if the attribute has a value of this type only.
    fn matches(self, attribute: &AttributeProto) -> bool {
        // Files of the first versions of the format have no attribute type.
        let declared = attribute.r#type == 0 || attribute.r#type == self.number();
        let (f, i, s, t) = (attribute.f.is_some(), attribute.i.is_some(), attribute.s.is_some(), attribute.t.is_some());
        let (floats, ints) = (!attribute.floats.is_empty(), !attribute.ints.is_empty());
        declared
            && match self {
                // Protocol buffers may omit fields that are zero.
                AttributeType::Float => !(i || s || t || floats || ints),
                AttributeType::Int => !(f || s || t || floats || ints),
                AttributeType::Text => !(f || i || t || floats || ints),
                AttributeType::Tensor => t && !(f || i || s || floats || ints),
                AttributeType::Floats => !(f || i || s || t || ints),
                AttributeType::Ints => !(f || i || s || t || floats),
                AttributeType::Graph => attribute.g.is_some() && !(f || i || s || t || floats || ints),
                AttributeType::Texts | AttributeType::Sparse | AttributeType::Type => {
                    !(f || i || s || t || floats || ints)
                }
            }
    }
}

/// An attribute of an operation.
#[derive(PartialEq, Debug)]
pub struct Attribute {
    pub name: &'static str,
    pub ty: AttributeType,
    /// True if a node must have the attribute.
    pub required: bool,
}

/// Signature of a version of an operation.
#[derive(PartialEq, Debug)]
pub struct Signature {
    /// First opset of the version.
    pub since: i64,
    /// Allowed numbers of operands, including optional ones.
    pub operands: RangeInclusive<usize>,
    /// Allowed numbers of results.
    pub results: RangeInclusive<usize>,
    pub attributes: Vec<Attribute>,
}

/// Text of the table.
const TABLE: &str = include_str!("schema.txt");

/// Versions of each operation, by `NAME` or `DOMAIN:NAME`, in ascending order.
static VERSIONS: LazyLock<FxHashMap<&str, Vec<Signature>>> = LazyLock::new(|| {
    let mut versions: FxHashMap<&str, Vec<Signature>> = FxHashMap::default();
    for (op, signature) in TABLE.lines().filter_map(row) {
        versions.entry(op).or_default().push(signature);
    }
    versions
});

/// Parses a row of the table; `None` for a comment.
fn row(line: &'static str) -> Option<(&'static str, Signature)> {
    let mut words = line.split(' ');
    let op = words.next().filter(|word| *word != "#")?;
    let since = words.next()?.parse().ok()?;
    let mut counts = || -> Option<RangeInclusive<usize>> {
        let (least, most) = words.next().map(|word| word.split_once("..").unwrap_or((word, word)))?;
        Some(least.parse().ok()?..=if most == "*" { usize::MAX } else { most.parse().ok()? })
    };
    let (operands, results) = (counts()?, counts()?);
    let attribute = |word: &'static str| {
        let (name, ty) = word.split_once(':')?;
        let &(_, ty) = AttributeType::NAMES.iter().find(|(known, _)| *known == ty.trim_end_matches('!'))?;
        Some(Attribute { name, ty, required: word.ends_with('!') })
    };
    let attributes = words.map(attribute).collect::<Option<_>>()?;
    Some((op, Signature { since, operands, results, attributes }))
}

/// Returns the versions of an operation; `None` if it is not in the table.
fn versions(domain: &str, op: &str) -> Option<&'static [Signature]> {
    let versions = if domain.is_empty() { VERSIONS.get(op) } else { VERSIONS.get(format!("{domain}:{op}").as_str()) };
    versions.map(Vec::as_slice)
}

/// Checks a node against the signature of its operation in an opset of a domain: the opset defines the operation, the
/// numbers of operands and results are allowed, and attributes are defined, unique, of the defined types and complete.
/// Operations that are not in the table are not checked.
pub fn check(node: &NodeProto, domain: &str, opset: i64) -> Result<(), String> {
    let Some(versions) = versions(domain, &node.op_type) else { return Ok(()) };
    let Some(signature) = versions.iter().rfind(|version| version.since <= opset) else {
        return Err(format!("is defined from opset {} on", versions[0].since));
    };
    for (index, attribute) in node.attribute.iter().enumerate() {
        let name = attribute.name.as_str();
        if node.attribute[..index].iter().any(|other| other.name == name) {
            return Err(format!("has the attribute `{name}` twice"));
        }
        let Some(defined) = signature.attributes.iter().find(|other| other.name == name) else {
            return Err(undefined(name, versions, signature));
        };
        if !defined.ty.matches(attribute) {
            return Err(format!("has an attribute `{name}` that is not {}", defined.ty.name()));
        }
    }
    let has = |name: &str| node.attribute.iter().any(|attribute| attribute.name == name);
    if let Some(missing) = signature.attributes.iter().find(|attribute| attribute.required && !has(attribute.name)) {
        return Err(format!("lacks its attribute `{}`", missing.name));
    }
    let counts = [("inputs", &node.input, &signature.operands), ("results", &node.output, &signature.results)];
    for (what, names, allowed) in counts {
        // Trailing names may be empty, which omits the operand or result.
        let count = names.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
        if count > *allowed.end() {
            return Err(format!("has {count} {what}; opset {opset} defines {}", allowed.end()));
        }
        if count < *allowed.start() && what == "inputs" {
            return Err(format!("lacks input {count}"));
        }
    }
    Ok(())
}

/// Returns the reason why an attribute is undefined: the opsets that define it, or a similar name.
fn undefined(name: &str, versions: &[Signature], signature: &Signature) -> String {
    let defines = |version: &&Signature| version.attributes.iter().any(|other| other.name == name);
    if let Some(later) = versions.iter().filter(|version| version.since > signature.since).find(defines) {
        return format!("has the attribute `{name}` from opset {} on", later.since);
    }
    if let Some(last) = versions.iter().rposition(|version| defines(&version)) {
        return format!("has the attribute `{name}` up to opset {}", versions[last + 1].since - 1);
    }
    let suggestion = nearest(name, signature.attributes.iter().map(|attribute| attribute.name));
    let suggestion = suggestion.map_or_else(String::new, |suggestion| format!("; there is `{suggestion}`"));
    format!("has no attribute `{name}`{suggestion}")
}

#[cfg(test)]
mod tests {
    use super::{TABLE, VERSIONS, row};

    #[test]
    fn every_row_is_parsed() {
        let rows: Vec<_> = TABLE.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(rows.len() > 500);
        for line in rows {
            assert!(row(line).is_some(), "{line}");
        }
        for (op, versions) in VERSIONS.iter() {
            assert!(versions.is_sorted_by_key(|version| version.since), "{op}");
        }
    }
}
