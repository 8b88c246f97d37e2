//! From the JSON of a request to tensors: `{"inputs": {"x": [[0.5, 1.0], [0.0, 2.0]]}}`, the first dimension counting
//! examples.
//!
//! Numbers go straight into a list that is never longer than a request may have; what is wrong is said with its place,
//! for every input, and in the words of shapes: what was expected, and what came.

mod numbers;

use super::answer::Problem;
use numbers::Numbers;
use partita::predict::Feature;
use partita_ir::diag::nearest;
use partita_ir::tensor::Tensor;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;
use std::fmt;

/// How many things that are wrong are listed.
const LISTED: usize = 4;

/// What a request asks for: a tensor for every input, and how many examples they have.
#[derive(Debug)]
pub(super) struct Asks {
    pub(super) inputs: Vec<Tensor>,
    pub(super) examples: usize,
}

/// Reads a request for a model with these inputs.
pub(super) fn read(body: &[u8], features: &[Feature], max_examples: usize) -> Result<Asks, Problem> {
    let mut reading = Reading { features, max_examples, found: vec![None; features.len()], wrong: Vec::new() };
    let mut json = serde_json::Deserializer::from_slice(body);
    let read = Body(&mut reading).deserialize(&mut json).and_then(|()| json.end());
    if let Err(error) = read {
        return Err(malformed(body, &error));
    }
    reading.finish()
}

/// What was read so far.
struct Reading<'f> {
    features: &'f [Feature],
    max_examples: usize,
    found: Vec<Option<Numbers>>,
    wrong: Vec<String>,
}

impl Reading<'_> {
    /// Tensors, if nothing is wrong.
    fn finish(mut self) -> Result<Asks, Problem> {
        let mut inputs = Vec::with_capacity(self.features.len());
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for (feature, found) in self.features.iter().zip(self.found) {
            let Some(numbers) = found else {
                self.wrong.push(format!("input `{}` is missing: {} is expected", feature.name, feature.wanted()));
                continue;
            };
            match numbers.tensor(feature) {
                Ok(tensor) => {
                    counts.push((&feature.name, tensor.ty.shape[0]));
                    inputs.push(tensor);
                }
                Err(what) => self.wrong.push(what),
            }
        }
        let first = counts.first().copied().unwrap_or_default();
        if let Some((name, count)) = counts.iter().find(|(_, count)| *count != first.1) {
            self.wrong
                .push(format!("all inputs need as many examples: `{name}` has {count}, `{}` {}", first.0, first.1));
        }
        let more = self.wrong.len().saturating_sub(LISTED);
        self.wrong.truncate(LISTED);
        let mut message = self.wrong.join("; ");
        if more > 0 {
            message += &format!("; and {more} more");
        }
        if !message.is_empty() {
            return Err(Problem::new(400, "bad_input", message));
        }
        if first.1 > self.max_examples {
            let message =
                format!("{} examples are more than the {} that a request may have", first.1, self.max_examples);
            return Err(Problem::new(400, "too_many_examples", message).help("send them in several requests"));
        }
        Ok(Asks { inputs, examples: first.1 })
    }

    fn unknown(&mut self, name: &str) {
        let names = self.features.iter().map(|f| f.name.as_str());
        let meant = match nearest(name, names.clone()) {
            Some(near) => format!("there is `{near}`"),
            None => format!("the inputs are {}", names.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")),
        };
        let name: String = name.chars().take(64).collect();
        self.wrong.push(format!("there is no input `{name}`: {meant}"));
    }
}

/// What is no JSON, or not of the kind that is expected, with its place.
fn malformed(body: &[u8], error: &serde_json::Error) -> Problem {
    let message = error.to_string();
    match error.classify() {
        Category::Data => {
            Problem::new(400, "bad_request", message).help("send an object: {\"inputs\": {NAME: [[...], ...]}}")
        }
        Category::Syntax | Category::Eof | Category::Io => {
            let problem = Problem::new(400, "malformed_json", message.clone());
            if is_not_finite(body, error) || message.starts_with("number out of range") {
                return problem.help("numbers must be finite: JSON has no NaN and no Infinity");
            }
            problem
        }
    }
}

/// Whether the word where reading stopped is one for what is no finite number.
fn is_not_finite(body: &[u8], error: &serde_json::Error) -> bool {
    let line = body.split(|&b| b == b'\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let at = error.column().min(line.len());
    let is_word = |b: &&u8| b.is_ascii_alphabetic();
    let before = line[..at].iter().rev().take_while(is_word).count();
    let behind = line[at..].iter().take_while(is_word).count();
    let word = String::from_utf8_lossy(&line[at - before..at + behind]).to_lowercase();
    matches!(&*word, "nan" | "infinity" | "inf")
}

/// The whole object.
struct Body<'r, 'f>(&'r mut Reading<'f>);

impl<'de> DeserializeSeed<'de> for Body<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Body<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `inputs`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "inputs" {
                map.next_value_seed(Inputs(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
                let key: String = key.chars().take(64).collect();
                self.0.wrong.push(format!("there is no field `{key}`: a request has `inputs`"));
            }
        }
        Ok(())
    }
}

/// The object of inputs.
struct Inputs<'r, 'f>(&'r mut Reading<'f>);

impl<'de> DeserializeSeed<'de> for Inputs<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Inputs<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a list for each input")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reading = self.0;
        while let Some(name) = map.next_key::<String>()? {
            let Some(index) = reading.features.iter().position(|f| f.name == name) else {
                map.next_value::<IgnoredAny>()?;
                reading.unknown(&name);
                continue;
            };
            if reading.found[index].is_some() {
                map.next_value::<IgnoredAny>()?;
                reading.wrong.push(format!("input `{name}` is there twice"));
                continue;
            }
            let feature = &reading.features[index];
            let mut numbers = Numbers::new(feature.ty.dtype, feature.ty.shape.count() * (reading.max_examples + 1));
            map.next_value_seed(numbers.at_depth(0))?;
            reading.found[index] = Some(numbers);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use partita_ir::dtype::{DType, Type};

    fn features() -> [Feature; 2] {
        let feature = |name: &str, ty, below| Feature { name: name.into(), ty, below };
        [feature("x", Type::new(DType::F32, [2, 3]), None), feature("token", Type::new(DType::I64, []), Some(10))]
    }

    fn check(body: &str, expected: Expect) {
        let said = match read(body.as_bytes(), &features(), 2) {
            Ok(asks) => format!("{asks:?}"),
            Err(problem) => format!("{} {}: {} {}", problem.status, problem.code, problem.message, problem.help),
        };
        expected.assert_eq(&said);
    }

    #[test]
    fn numbers_become_tensors() {
        check(
            r#"{"inputs": {"token": [7, 1.0], "x": [[[1,2,3],[4,5,6]], [[0.1,1e-3,-0],[7,8,9]]]}}"#,
            expect![
                "Asks { inputs: [Tensor { ty: Type { shape: Shape([2, 2, 3]), dtype: F32 }, data: F32([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.1, 0.001, -0.0, 7.0, 8.0, 9.0]) }, Tensor { ty: Type { shape: Shape([2]), dtype: I64 }, data: Int([7, 1]) }], examples: 2 }"
            ],
        );
    }

    #[test]
    fn every_input_is_told_what_is_wrong_with_it() {
        check(
            r#"{"inputs": {"token": [1, 10], "x": [[[1,2],[4,5]]]}}"#,
            expect![
                "400 bad_input: `x` is [1, 2, 2]: f32[n, 2, 3] is expected; `inputs.token[1]` is 10: the model knows 0 to 9 "
            ],
        );
        check(
            r#"{"inputs": {"token": [[1]], "x": [[[1,2,3],[4,5]]]}}"#,
            expect![
                "400 bad_input: `inputs.x[0][1]` has 2 elements, where others have 3: f32[n, 2, 3] is expected; `token` is [1, 1]: i64[n] is expected "
            ],
        );
        check(
            r#"{"inputs": {"tokens": [1], "z": [], "x": []}, "more": {}}"#,
            expect![
                "400 bad_input: there is no input `tokens`: there is `token`; there is no input `z`: there is `x`; there is no field `more`: a request has `inputs`; `x` has no examples: f32[n, 2, 3] is expected; and 1 more "
            ],
        );
        check(
            r#"{"inputs": {"token": [1.5], "x": [[[1,2,3],[4,"5",6]]]}}"#,
            expect![
                "400 bad_input: `inputs.x[0][1][1]` is a text: f32[n, 2, 3] is expected; `inputs.token[0]` is 1.5, which is no integer: i64[n] is expected "
            ],
        );
        check(
            r#"{"inputs": {"token": 1, "x": [[[1,2,3],[4,1e39,null]]]}}"#,
            expect![
                "400 bad_input: `inputs.x[0][1][2]` is null: f32[n, 2, 3] is expected; `token` is a number: i64[n] is expected "
            ],
        );
        check(
            r#"{"inputs": {"token": [1], "x": [[[1,2,3],[4,5,1e39]]]}}"#,
            expect!["400 bad_input: `inputs.x[0][1][2]` is too large for f32 "],
        );
        check(
            r#"{"inputs": {"token": [1], "x": [[[1,2,3],[4,5,6]],[[1,2,3],[4,5,6]]]}}"#,
            expect!["400 bad_input: all inputs need as many examples: `token` has 1, `x` 2 "],
        );
        check(
            r#"{"inputs": {"token": [1,2,3], "x": [[[1,2,3],[4,5,6]],[[1,2,3],[4,5,6]],[[1,2,3],[4,5,6]]]}}"#,
            expect![
                "400 too_many_examples: 3 examples are more than the 2 that a request may have send them in several requests"
            ],
        );
        check(
            r#"{"inputs": {"token": [1], "token": [2], "x": [[[[1]],2,3],[4,5,6]]}}"#,
            expect![
                "400 bad_input: input `token` is there twice; `inputs.x[0][1]` is a number, where a list is elsewhere: f32[n, 2, 3] is expected "
            ],
        );
    }

    #[test]
    fn what_is_no_request() {
        check("", expect!["400 malformed_json: EOF while parsing a value at line 1 column 0 "]);
        check(
            "[]",
            expect![[
                r#"400 bad_request: invalid type: sequence, expected an object with `inputs` at line 1 column 0 send an object: {"inputs": {NAME: [[...], ...]}}"#
            ]],
        );
        check(
            "{}",
            expect![
                "400 bad_input: input `x` is missing: f32[n, 2, 3] is expected; input `token` is missing: i64[n] is expected "
            ],
        );
        check(
            r#"{"inputs": [1]}"#,
            expect![[
                r#"400 bad_request: invalid type: sequence, expected an object with a list for each input at line 1 column 11 send an object: {"inputs": {NAME: [[...], ...]}}"#
            ]],
        );
        check("{\"inputs\":\n  {\"x\": [[1, 2,]}}", expect!["400 malformed_json: trailing comma at line 2 column 16 "]);
        check(r#"{"inputs": {}} {}"#, expect!["400 malformed_json: trailing characters at line 1 column 16 "]);
        check(
            r#"{"inputs": {"x": [NaN]}}"#,
            expect![
                "400 malformed_json: expected value at line 1 column 19 numbers must be finite: JSON has no NaN and no Infinity"
            ],
        );
        check(
            r#"{"inputs": {"x": [-Infinity]}}"#,
            expect![
                "400 malformed_json: invalid number at line 1 column 20 numbers must be finite: JSON has no NaN and no Infinity"
            ],
        );
        check(
            r#"{"inputs": {"x": [1e999]}}"#,
            expect![
                "400 malformed_json: number out of range at line 1 column 23 numbers must be finite: JSON has no NaN and no Infinity"
            ],
        );
        check(
            &"[".repeat(1000),
            expect![[
                r#"400 bad_request: invalid type: sequence, expected an object with `inputs` at line 1 column 0 send an object: {"inputs": {NAME: [[...], ...]}}"#
            ]],
        );
        check(
            &format!(r#"{{"inputs": {{"x": {}"#, "[".repeat(1000)),
            expect!["400 malformed_json: recursion limit exceeded at line 1 column 143 "],
        );
    }
}
