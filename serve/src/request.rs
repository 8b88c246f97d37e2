//! Parsing of requests to tensors: `{"inputs": {"x": [[0.5, 1.0], [0.0, 2.0]]}}`, where the first dimension counts
//! examples.
//!
//! Numbers are parsed directly into vectors of bounded length. An error message lists the errors of all inputs, each
//! with the position of the value or the expected shape.

mod numbers;

use super::response::Problem;
use numbers::Numbers;
use partita::predict::Feature;
use partita_ir::diag::nearest;
use partita_ir::tensor::Tensor;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;
use std::fmt;

/// Maximum number of errors that a message lists.
const MAX_LISTED_ERRORS: usize = 4;

/// A parsed request: one tensor per input, in the order of the model, and the number of examples.
#[derive(Debug)]
pub(super) struct ParsedRequest {
    pub(super) inputs: Vec<Tensor>,
    pub(super) examples: usize,
}

/// Parses the body of a request for a model with the inputs `features`.
///
/// # Errors
/// 400 for malformed JSON, wrong structure, inputs that do not match the model, and too many examples.
pub(super) fn read(body: &[u8], features: &[Feature], max_examples: usize) -> Result<ParsedRequest, Problem> {
    let mut state = ParseState { features, max_examples, found: vec![None; features.len()], wrong: Vec::new() };
    let mut json = serde_json::Deserializer::from_slice(body);
    let read = RequestObject(&mut state).deserialize(&mut json).and_then(|()| json.end());
    if let Err(error) = read {
        return Err(malformed(body, &error));
    }
    state.finish()
}

/// State of parsing a request: the inputs found so far, and errors.
struct ParseState<'f> {
    features: &'f [Feature],
    max_examples: usize,
    found: Vec<Option<Numbers>>,
    wrong: Vec<String>,
}

impl ParseState<'_> {
    /// Returns the parsed request, or an error response that lists all errors.
    fn finish(mut self) -> Result<ParsedRequest, Problem> {
        let mut inputs = Vec::with_capacity(self.features.len());
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for (feature, found) in self.features.iter().zip(self.found) {
            let Some(numbers) = found else {
                self.wrong.push(format!("input `{}` is missing: {} is expected", feature.name, feature.type_text()));
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
            self.wrong.push(format!(
                "all inputs need the same number of examples: `{name}` has {count}, `{}` {}",
                first.0, first.1
            ));
        }
        let more = self.wrong.len().saturating_sub(MAX_LISTED_ERRORS);
        self.wrong.truncate(MAX_LISTED_ERRORS);
        let mut message = self.wrong.join("; ");
        if more > 0 {
            message += &format!("; and {more} more");
        }
        if !message.is_empty() {
            return Err(Problem::new(400, "bad_input", message));
        }
        if first.1 > self.max_examples {
            let message = format!("{} examples exceed the limit of {} per request", first.1, self.max_examples);
            return Err(Problem::new(400, "too_many_examples", message).help("send them in several requests"));
        }
        Ok(ParsedRequest { inputs, examples: first.1 })
    }

    fn unknown(&mut self, name: &str) {
        let names = self.features.iter().map(|f| f.name.as_str());
        let meant = match nearest(name, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the inputs are {}", names.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")),
        };
        let name: String = name.chars().take(64).collect();
        self.wrong.push(format!("there is no input `{name}`: {meant}"));
    }
}

/// Returns the error response for invalid JSON, or for JSON of the wrong structure, with the position of the error.
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

/// Returns true if the word at the position of the error is `nan`, `inf` or `infinity`, in any case.
fn is_not_finite(body: &[u8], error: &serde_json::Error) -> bool {
    let line = body.split(|&b| b == b'\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let at = error.column().min(line.len());
    let is_word = |b: &&u8| b.is_ascii_alphabetic();
    let before = line[..at].iter().rev().take_while(is_word).count();
    let after = line[at..].iter().take_while(is_word).count();
    let word = String::from_utf8_lossy(&line[at - before..at + after]).to_lowercase();
    matches!(&*word, "nan" | "infinity" | "inf")
}

/// Visitor of the request object.
struct RequestObject<'r, 'f>(&'r mut ParseState<'f>);

impl<'de> DeserializeSeed<'de> for RequestObject<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RequestObject<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `inputs`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "inputs" {
                map.next_value_seed(InputsObject(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
                let key: String = key.chars().take(64).collect();
                self.0.wrong.push(format!("there is no field `{key}`: expected `inputs`"));
            }
        }
        Ok(())
    }
}

/// Visitor of the object `inputs`.
struct InputsObject<'r, 'f>(&'r mut ParseState<'f>);

impl<'de> DeserializeSeed<'de> for InputsObject<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for InputsObject<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a list for each input")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let state = self.0;
        while let Some(name) = map.next_key::<String>()? {
            let Some(index) = state.features.iter().position(|f| f.name == name) else {
                map.next_value::<IgnoredAny>()?;
                state.unknown(&name);
                continue;
            };
            if state.found[index].is_some() {
                map.next_value::<IgnoredAny>()?;
                state.wrong.push(format!("input `{name}` is given twice"));
                continue;
            }
            let feature = &state.features[index];
            let mut numbers = Numbers::new(feature.ty.dtype, feature.ty.shape.count() * (state.max_examples + 1));
            map.next_value_seed(numbers.at_depth(0))?;
            state.found[index] = Some(numbers);
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
        let feature = |name: &str, ty, index_bound| Feature { name: name.into(), ty, index_bound };
        [feature("x", Type::new(DType::F32, [2, 3]), None), feature("token", Type::new(DType::I64, []), Some(10))]
    }

    fn check(body: &str, expected: Expect) {
        let text = match read(body.as_bytes(), &features(), 2) {
            Ok(parsed) => format!("{parsed:?}"),
            Err(problem) => format!("{} {}: {} {}", problem.status, problem.code, problem.message, problem.help),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn numbers_become_tensors() {
        check(
            r#"{"inputs": {"token": [7, 1.0], "x": [[[1,2,3],[4,5,6]], [[0.1,1e-3,-0],[7,8,9]]]}}"#,
            expect![
                "ParsedRequest { inputs: [Tensor { ty: Type { shape: Shape([2, 2, 3]), dtype: F32 }, data: F32([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.1, 0.001, -0.0, 7.0, 8.0, 9.0]) }, Tensor { ty: Type { shape: Shape([2]), dtype: I64 }, data: Int([7, 1]) }], examples: 2 }"
            ],
        );
    }

    #[test]
    fn errors_of_every_input_are_reported() {
        check(
            r#"{"inputs": {"token": [1, 10], "x": [[[1,2],[4,5]]]}}"#,
            expect![
                "400 bad_input: `x` is [1, 2, 2]: f32[n, 2, 3] is expected; `inputs.token[1]` is 10: the model accepts 0 to 9 "
            ],
        );
        check(
            r#"{"inputs": {"token": [[1]], "x": [[[1,2,3],[4,5]]]}}"#,
            expect![
                "400 bad_input: `inputs.x[0][1]` has 2 elements, but others have 3: f32[n, 2, 3] is expected; `token` is [1, 1]: i64[n] is expected "
            ],
        );
        check(
            r#"{"inputs": {"tokens": [1], "z": [], "x": []}, "more": {}}"#,
            expect![
                "400 bad_input: there is no input `tokens`: did you mean `token`?; there is no input `z`: did you mean `x`?; there is no field `more`: expected `inputs`; `x` has no examples: f32[n, 2, 3] is expected; and 1 more "
            ],
        );
        check(
            r#"{"inputs": {"token": [1.5], "x": [[[1,2,3],[4,"5",6]]]}}"#,
            expect![
                "400 bad_input: `inputs.x[0][1][1]` is a string: f32[n, 2, 3] is expected; `inputs.token[0]` is 1.5, which is not an integer: i64[n] is expected "
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
            expect!["400 bad_input: all inputs need the same number of examples: `token` has 1, `x` 2 "],
        );
        check(
            r#"{"inputs": {"token": [1,2,3], "x": [[[1,2,3],[4,5,6]],[[1,2,3],[4,5,6]],[[1,2,3],[4,5,6]]]}}"#,
            expect![
                "400 too_many_examples: 3 examples exceed the limit of 2 per request send them in several requests"
            ],
        );
        check(
            r#"{"inputs": {"token": [1], "token": [2], "x": [[[[1]],2,3],[4,5,6]]}}"#,
            expect![
                "400 bad_input: input `token` is given twice; `inputs.x[0][1]` is a number, but other elements are lists: f32[n, 2, 3] is expected "
            ],
        );
    }

    #[test]
    fn malformed_requests_are_rejected() {
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
