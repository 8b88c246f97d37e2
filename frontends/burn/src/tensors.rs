//! Arguments and results of a traced function. Both may be a tensor or a tuple; results may also be a `Vec`.

use burn::tensor::kind::Basic;
use burn::tensor::{Device, Tensor};
use burn_dispatch::{BackendTensor, DispatchTensorKind};
use burn_ir::TensorId;

/// Arguments of a traced function: a tensor, or a tuple of arguments.
pub trait Inputs: Sized {
    /// Shapes of the arguments: `[usize; D]` for a tensor of `D` dimensions, a tuple of shapes for a tuple.
    type Shapes;

    /// Creates tensors of the given shapes without data on a capture device, and appends their ids to `ids`.
    fn record(shapes: Self::Shapes, device: &Device, ids: &mut Vec<Option<TensorId>>) -> Self;
}

/// Results of a traced function: a tensor, or a tuple or `Vec` of results.
pub trait Outputs {
    /// Appends the ids of the tensors to `ids`; `None` for a tensor that is not on a capture device.
    fn ids(self, ids: &mut Vec<Option<TensorId>>);
}

/// Returns the id of a tensor on a capture device, with or without autodiff; `None` for any other tensor.
pub(crate) fn tensor_id<const D: usize, K: Basic>(tensor: Tensor<D, K>) -> Option<TensorId> {
    match tensor.into_dispatch().kind {
        DispatchTensorKind::Capture(tensor) => match tensor {
            BackendTensor::Float(t) | BackendTensor::Int(t) | BackendTensor::Bool(t) => Some(t.id()),
            BackendTensor::Quantized(_) | BackendTensor::Autodiff(_) => None,
        },
        DispatchTensorKind::Autodiff(inner) => match *inner {
            DispatchTensorKind::Capture(BackendTensor::Autodiff(t)) => Some(t.primitive().id()),
            _ => None,
        },
        _ => None,
    }
}

impl<const D: usize, K: Basic> Inputs for Tensor<D, K> {
    type Shapes = [usize; D];

    fn record(shape: [usize; D], device: &Device, ids: &mut Vec<Option<TensorId>>) -> Self {
        let tensor = Tensor::empty(shape, device);
        ids.push(tensor_id(tensor.clone()));
        tensor
    }
}

impl<const D: usize, K: Basic> Outputs for Tensor<D, K> {
    fn ids(self, ids: &mut Vec<Option<TensorId>>) {
        ids.push(tensor_id(self));
    }
}

impl<T: Outputs> Outputs for Vec<T> {
    fn ids(self, ids: &mut Vec<Option<TensorId>>) {
        self.into_iter().for_each(|t| t.ids(ids));
    }
}

macro_rules! tuples {
    ($($name:ident),+) => {
        #[allow(non_snake_case)]
        impl<$($name: Inputs),+> Inputs for ($($name,)+) {
            type Shapes = ($($name::Shapes,)+);

            fn record(($($name,)+): Self::Shapes, device: &Device, ids: &mut Vec<Option<TensorId>>) -> Self {
                ($($name::record($name, device, ids),)+)
            }
        }

        #[allow(non_snake_case)]
        impl<$($name: Outputs),+> Outputs for ($($name,)+) {
            fn ids(self, ids: &mut Vec<Option<TensorId>>) {
                let ($($name,)+) = self;
                $($name.ids(ids);)+
            }
        }
    };
}

tuples!(A);
tuples!(A, B);
tuples!(A, B, C);
tuples!(A, B, C, E);
tuples!(A, B, C, E, F);
tuples!(A, B, C, E, F, G);
