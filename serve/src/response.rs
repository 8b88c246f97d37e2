//! JSON responses: outputs as nested lists, and errors with a code, a message and a help text.
//!
//! JSON cannot represent non-finite numbers. They are written as `null`, and `notes` contains their count for each
//! output.

use super::budget::Reservation;
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

/// An error response: HTTP status, stable error code, message, and an optional help text.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) status: u16,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: String,
    /// True if the rest of the request is not read, so that the connection must be closed after the response.
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

    /// Returns the JSON body of the response.
    pub(super) fn json(&self) -> String {
        let mut error = json!({ "code": self.code, "message": self.message });
        if !self.help.is_empty() {
            error["help"] = self.help.clone().into();
        }
        json!({ "error": error }).to_string() + "\n"
    }

    pub(super) fn response(&self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = with_content_type(status, "application/json", self.json().into());
        if matches!(self.status, 429 | 503) {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.closes {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// Returns a response with a status, content type and body.
pub(super) fn with_content_type(status: StatusCode, content_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Returns a response of status 200 with a JSON value.
pub(super) fn json_response(value: &Value) -> Response {
    with_content_type(StatusCode::OK, "application/json", format!("{value:#}\n").into())
}

/// A response body with its memory reservation, which is released once the body has been sent.
pub(super) struct ReservedBody {
    bytes: Option<Bytes>,
    _reservation: Reservation,
}

impl ReservedBody {
    pub(super) fn body(bytes: Vec<u8>, reservation: Reservation) -> Body {
        Body::new(ReservedBody { bytes: Some(bytes.into()), _reservation: reservation })
    }
}

impl hyper::body::Body for ReservedBody {
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

/// Returns the JSON body of a response with these named outputs.
pub(super) fn outputs_to_json(names: &[&str], outputs: &[Tensor]) -> Vec<u8> {
    let notes: Vec<String> = names.iter().zip(outputs).filter_map(|(name, tensor)| note(name, tensor)).collect();
    let mut bytes = serde_json::to_vec(&ResponseJson { names, outputs, notes: &notes }).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Returns a note with the count of non-finite numbers of an output, or `None` if all numbers are finite.
fn note(name: &str, tensor: &Tensor) -> Option<String> {
    let count = match &tensor.data {
        Data::F32(v) => v.iter().filter(|x| !x.is_finite()).count(),
        Data::F64(v) => v.iter().filter(|x| !x.is_finite()).count(),
        Data::Int(_) => 0,
    };
    (count > 0).then(|| {
        format!("null replaces non-finite numbers in `{name}`: {count} of {} numbers", tensor.ty.shape.count())
    })
}

struct ResponseJson<'a> {
    names: &'a [&'a str],
    outputs: &'a [Tensor],
    notes: &'a [String],
}

impl Serialize for ResponseJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("outputs", &Outputs(self))?;
        if !self.notes.is_empty() {
            map.serialize_entry("notes", self.notes)?;
        }
        map.end()
    }
}

struct Outputs<'a>(&'a ResponseJson<'a>);

impl Serialize for Outputs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outputs = self.0.outputs.iter().map(|tensor| NestedList { tensor, dims: &tensor.ty.shape, start: 0 });
        serializer.collect_map(self.0.names.iter().zip(outputs))
    }
}

/// Serialiser of a tensor, or of a slice of a tensor with shape `dims` from element `start`, as nested lists.
struct NestedList<'t> {
    tensor: &'t Tensor,
    dims: &'t [usize],
    start: usize,
}

impl Serialize for NestedList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let NestedList { tensor, dims, start } = *self;
        let Some((&count, dims)) = dims.split_first() else {
            return match &tensor.data {
                Data::F64(v) => serializer.serialize_f64(v[start]),
                // The shortest text that parses to the same `f32`.
                Data::F32(v) => serializer.serialize_f32(v[start]),
                Data::Int(v) if tensor.ty.dtype == DType::Bool => serializer.serialize_bool(v[start] != 0),
                Data::Int(v) if tensor.ty.dtype == DType::U64 => serializer.serialize_u64(v[start].cast_unsigned()),
                Data::Int(v) => serializer.serialize_i64(v[start]),
            };
        };
        let stride = dims.iter().product::<usize>();
        let mut list = serializer.serialize_seq(Some(count))?;
        for i in 0..count {
            list.serialize_element(&NestedList { tensor, dims, start: start + i * stride })?;
        }
        list.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::dtype::Type;

    #[test]
    fn tensors_become_lists_and_non_finite_numbers_null() {
        let floats = Tensor::from_floats(Type::new(DType::F32, [2, 2]), vec![0.1, f64::NAN, 1e-30, 3.0]);
        let flags = Tensor::from_ints(Type::new(DType::Bool, [2]), vec![1, 0]);
        let text = String::from_utf8(outputs_to_json(&["y", "b"], &[floats, flags])).unwrap();
        expect_test::expect![[r#"
            {"outputs":{"y":[[0.1,null],[1e-30,3.0]],"b":[true,false]},"notes":["null replaces non-finite numbers in `y`: 1 of 4 numbers"]}
        "#]].assert_eq(&text);
    }
}
