//! What is answered, as JSON: outputs as nested lists, and problems with a code, a message and what to do.
//!
//! JSON has no word for what is not finite: such a number is `null`, and `notes` says of which output how many there
//! are.

use super::budget::Taken;
use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use hyper::body::{Bytes, Frame, SizeHint};
use partita_ir::dtype::DType;
use partita_ir::tensor::{Data, Tensor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) status: u16,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: String,
    /// Whether the rest of the request is not read, so that the connection cannot go on.
    pub(super) closes: bool,
}

impl Problem {
    pub(super) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Problem {
        Problem { status, code, message: message.into(), help: String::new(), closes: false }
    }

    pub(super) fn help(self, text: impl Into<String>) -> Problem {
        Problem { help: text.into(), ..self }
    }

    pub(super) fn closing(self) -> Problem {
        Problem { closes: true, ..self }
    }

    /// The body of the response.
    pub(super) fn json(&self) -> String {
        let mut error = json!({ "code": self.code, "message": self.message });
        if !self.help.is_empty() {
            error["help"] = self.help.clone().into();
        }
        json!({ "error": error }).to_string() + "\n"
    }

    pub(super) fn response(&self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = typed(status, "application/json", self.json().into());
        if matches!(self.status, 429 | 503) {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.closes {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// A response of some bytes.
pub(super) fn typed(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A response of a JSON value.
pub(super) fn of_json(value: &Value) -> Response {
    typed(StatusCode::OK, "application/json", format!("{value:#}\n").into())
}

/// A body that keeps its bytes of the budget until it is sent.
pub(super) struct Kept {
    bytes: Option<Bytes>,
    _taken: Taken,
}

impl Kept {
    pub(super) fn body(bytes: Vec<u8>, taken: Taken) -> Body {
        Body::new(Kept { bytes: Some(bytes.into()), _taken: taken })
    }
}

impl hyper::body::Body for Kept {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, Bytes::len) as u64)
    }
}

/// The answer to a request.
pub(super) fn write(names: &[&str], outputs: &[Tensor]) -> Vec<u8> {
    let notes: Vec<String> = names.iter().zip(outputs).filter_map(|(name, tensor)| note(name, tensor)).collect();
    let mut bytes = serde_json::to_vec(&Answer { names, outputs, notes: &notes }).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// How many numbers are not finite, if there are some.
fn note(name: &str, tensor: &Tensor) -> Option<String> {
    let count = match &tensor.data {
        Data::F32(v) => v.iter().filter(|x| !x.is_finite()).count(),
        Data::F64(v) => v.iter().filter(|x| !x.is_finite()).count(),
        Data::Int(_) => 0,
    };
    (count > 0).then(|| {
        format!("null stands for what is not finite in `{name}`: {count} of {} numbers", tensor.ty.shape.count())
    })
}

struct Answer<'a> {
    names: &'a [&'a str],
    outputs: &'a [Tensor],
    notes: &'a [String],
}

impl Serialize for Answer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("outputs", &Outputs(self))?;
        if !self.notes.is_empty() {
            map.serialize_entry("notes", self.notes)?;
        }
        map.end()
    }
}

struct Outputs<'a>(&'a Answer<'a>);

impl Serialize for Outputs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outputs = self.0.outputs.iter().map(|tensor| Nested { tensor, dims: &tensor.ty.shape, start: 0 });
        serializer.collect_map(self.0.names.iter().zip(outputs))
    }
}

/// A tensor, or a part of it, as lists of lists.
struct Nested<'t> {
    tensor: &'t Tensor,
    dims: &'t [usize],
    start: usize,
}

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Nested { tensor, dims, start } = *self;
        let Some((&count, dims)) = dims.split_first() else {
            return match &tensor.data {
                Data::F64(v) => serializer.serialize_f64(v[start]),
                // As few digits as tell it from other numbers of its type.
                Data::F32(v) => serializer.serialize_f32(v[start]),
                Data::Int(v) if tensor.ty.dtype == DType::Bool => serializer.serialize_bool(v[start] != 0),
                Data::Int(v) if tensor.ty.dtype == DType::U64 => serializer.serialize_u64(v[start].cast_unsigned()),
                Data::Int(v) => serializer.serialize_i64(v[start]),
            };
        };
        let each = dims.iter().product::<usize>();
        let mut list = serializer.serialize_seq(Some(count))?;
        for i in 0..count {
            list.serialize_element(&Nested { tensor, dims, start: start + i * each })?;
        }
        list.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::dtype::Type;

    #[test]
    fn tensors_become_lists_and_what_is_not_finite_becomes_null() {
        let floats = Tensor::from_floats(Type::new(DType::F32, [2, 2]), vec![0.1, f64::NAN, 1e-30, 3.0]);
        let flags = Tensor::from_ints(Type::new(DType::Bool, [2]), vec![1, 0]);
        let text = String::from_utf8(write(&["y", "b"], &[floats, flags])).unwrap();
        expect_test::expect![[r#"
            {"outputs":{"y":[[0.1,null],[1e-30,3.0]],"b":[true,false]},"notes":["null stands for what is not finite in `y`: 1 of 4 numbers"]}
        "#]].assert_eq(&text);
    }
}
