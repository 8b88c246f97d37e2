//! Sharding rules that Shardy's users state for custom calls, `([i, j])->([i, jk]) {i=8, j=4, k=2}
//! need_replication={k}, custom`; see [Shardy's
//! propagation](https://github.com/openxla/shardy/blob/main/docs/propagation.md).

/// Name of the attribute of an operation.
pub const NAME: &str = "sdy.sharding_rule";

/// Dimensions of one operand or result: the factors of each, major to minor.
pub type FactorMap = Vec<Vec<u32>>;

/// A sharding rule: the factors that the dimensions of operands and results share.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SharedFactors {
    /// Size of each factor.
    pub sizes: Vec<usize>,
    /// Dimensions of each operand.
    pub operands: Vec<FactorMap>,
    /// Dimensions of each result.
    pub results: Vec<FactorMap>,
    /// Factors that cannot be sharded, or along which axes do not propagate.
    pub replicated: Vec<u32>,
}

impl SharedFactors {
    /// Parses the text of a rule. Returns `None` if it is malformed.
    pub fn parse(text: &str) -> Option<SharedFactors> {
        let (maps, rest) = text.split_once('{')?;
        let (sizes, clauses) = rest.split_once('}')?;
        let mut names: Vec<&str> = Vec::new();
        let mut rule = SharedFactors::default();
        for entry in sizes.split(',').filter(|entry| !entry.trim().is_empty()) {
            let (name, size) = entry.split_once('=')?;
            names.push(name.trim());
            rule.sizes.push(size.trim().parse().ok()?);
        }
        let factor = |name: &str| Some(names.iter().position(|other| *other == name)? as u32);
        let (operands, results) = maps.split_once("->")?;
        rule.operands = maps_of(operands, &factor)?;
        rule.results = maps_of(results, &factor)?;
        for clause in clauses.split('}') {
            let Some((name, list)) = clause.split_once("={") else { continue };
            let name = name.trim_matches(|c: char| c == ',' || c.is_whitespace());
            if matches!(name, "need_replication" | "blocked_propagation" | "permutation") {
                for name in list.split(',') {
                    rule.replicated.push(factor(name.trim())?);
                }
            }
        }
        rule.replicated.sort_unstable();
        rule.replicated.dedup();
        Some(rule)
    }

    /// Returns the rule for operands and results with another first dimension, of `size` elements.
    pub fn with_leading_dim(self, size: usize) -> SharedFactors {
        let moved = |maps: Vec<FactorMap>| -> Vec<FactorMap> {
            let dims = |map: FactorMap| {
                let behind = map.into_iter().map(|dim| dim.into_iter().map(|factor| factor + 1).collect());
                std::iter::once(vec![0]).chain(behind).collect()
            };
            maps.into_iter().map(dims).collect()
        };
        SharedFactors {
            sizes: std::iter::once(size).chain(self.sizes).collect(),
            operands: moved(self.operands),
            results: moved(self.results),
            replicated: self.replicated.into_iter().map(|factor| factor + 1).collect(),
        }
    }
}

/// Parses `([i, jk], [k])`.
fn maps_of(text: &str, factor: &impl Fn(&str) -> Option<u32>) -> Option<Vec<FactorMap>> {
    let mut maps = Vec::new();
    for part in text.trim().strip_prefix('(')?.strip_suffix(')')?.split(']') {
        let Some((_, dims)) = part.split_once('[') else { continue };
        let dims = dims.split(',').filter(|dim| !dim.trim().is_empty());
        maps.push(dims.map(|dim| factors_of(dim.trim(), factor)).collect::<Option<FactorMap>>()?);
    }
    Some(maps)
}

/// Parses the factors of a dimension: letters, each of which a number may follow, `ijz_1`.
fn factors_of(mut text: &str, factor: &impl Fn(&str) -> Option<u32>) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    while let Some(first) = text.chars().next() {
        let rest = &text[first.len_utf8()..];
        let number =
            rest.strip_prefix('_').map_or(0, |digits| 1 + digits.bytes().take_while(u8::is_ascii_digit).count());
        let (name, behind) = text.split_at(first.len_utf8() + number);
        all.push(factor(name)?);
        text = behind;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_parsed() {
        let text =
            "([i, jk], [z_1])->([i, j], []) {i=8, j=4, k=2, z_1=3} reduction={k} need_replication={z_1, i}, custom";
        let rule = SharedFactors::parse(text).unwrap();
        assert_eq!(rule.sizes, [8, 4, 2, 3]);
        assert_eq!(rule.operands, [vec![vec![0], vec![1, 2]], vec![vec![3]]]);
        assert_eq!(rule.results, [vec![vec![0], vec![1]], vec![]]);
        assert_eq!(rule.replicated, [0, 3]);
        let moved = rule.with_leading_dim(5);
        assert_eq!(moved.sizes, [5, 8, 4, 2, 3]);
        assert_eq!(moved.results, [vec![vec![0], vec![1], vec![2]], vec![vec![0]]]);
        assert_eq!(moved.replicated, [1, 4]);
    }

    #[test]
    fn malformed_rules_are_refused() {
        for text in ["", "([i])->([i])", "([i])->([j]) {i=8}", "([i])->([i]) {i=x}", "[i]->[i] {i=8}"] {
            assert_eq!(SharedFactors::parse(text), None, "{text}");
        }
    }
}
