//! Annotations of tensors in a forward function: names of dimensions, and layouts.
//!
//! ```
//! use burn::tensor::Tensor;
//! use partita_burn::Annotate;
//!
//! fn forward(x: Tensor<2>) -> Tensor<2> {
//!     x.named("batch, embed").exp().sharded("data, _")
//! }
//! ```
//!
//! During a [`capture`](crate::capture::capture()), an annotation records a reshape to the same shape, whose result is
//! a tensor of its own, and the annotation of that tensor. [`import`](crate::import()) lowers it to a `constrain` op.

use crate::tensors::tensor_id;
use burn::tensor::Tensor;
use burn::tensor::kind::Basic;
use burn_ir::TensorId;
use partita_ir::plan::SourceText;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Annotations of tensors in the syntax of plans. They have no effect on values, and outside of a trace no effect at
/// all. An annotation applies to the returned tensor: one whose result is not used has no effect.
pub trait Annotate: Sized {
    /// Names the dimensions: one name for each dimension, `_` for none. The names propagate through operations, and
    /// the rules of a plan map them to mesh axes.
    #[track_caller]
    #[must_use = "an annotation applies to the returned tensor"]
    fn named(self, names: &str) -> Self;

    /// Requests a layout on the mesh of the plan: for each dimension, the axes that split it, or `_`. The tensor is
    /// resharded if it has another layout, as with JAX's `with_sharding_constraint`.
    #[track_caller]
    #[must_use = "an annotation applies to the returned tensor"]
    fn sharded(self, layout: &str) -> Self;
}

impl<const D: usize, K: Basic> Annotate for Tensor<D, K> {
    fn named(self, names: &str) -> Self {
        record(self, AnnotationKind::Names, names)
    }

    fn sharded(self, layout: &str) -> Self {
        record(self, AnnotationKind::Sharding, layout)
    }
}

/// Subject of an annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnnotationKind {
    /// Names of the dimensions.
    Names,
    /// Layout.
    Sharding,
}

/// Annotation of a recorded tensor.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Subject of the annotation.
    pub kind: AnnotationKind,
    /// Text in the syntax of plans, with its location in the user's program.
    pub written: SourceText,
}

/// Records an annotation of a tensor on a capture device. Returns the annotated tensor.
#[track_caller]
fn record<const D: usize, K: Basic>(tensor: Tensor<D, K>, kind: AnnotationKind, text: &str) -> Tensor<D, K> {
    if recorder().captures == 0 || tensor_id(tensor.clone()).is_none() {
        return tensor;
    }
    let shape = tensor.shape();
    let annotated = tensor.reshape(shape);
    let annotation = Annotation { kind, written: SourceText::at_caller(text) };
    if let Some(id) = tensor_id(annotated.clone()) {
        recorder().annotations.insert(id, annotation);
    }
    annotated
}

/// Annotations of all captures in progress. Ids of captured tensors are unique in a process, and a forward function may
/// use several threads.
static RECORDER: Mutex<Recorder> = Mutex::new(Recorder { captures: 0, annotations: BTreeMap::new() });

struct Recorder {
    /// Number of captures in progress.
    captures: usize,
    annotations: BTreeMap<TensorId, Annotation>,
}

fn recorder() -> MutexGuard<'static, Recorder> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Recording of annotations. Ends when it is dropped.
pub(crate) struct Recording {}

impl Recording {
    /// Starts a recording.
    pub(crate) fn start() -> Recording {
        recorder().captures += 1;
        Recording {}
    }

    /// Removes and returns the annotations of the given tensors.
    pub(crate) fn take(&self, tensors: impl Iterator<Item = TensorId>) -> BTreeMap<TensorId, Annotation> {
        let mut recorder = recorder();
        tensors.filter_map(|id| recorder.annotations.remove_entry(&id)).collect()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let mut recorder = recorder();
        recorder.captures -= 1;
        if recorder.captures == 0 {
            recorder.annotations.clear();
        }
    }
}
