//! Import of `FlexAttention` of the domain `ai.onnx.preview`: attention whose scores and probabilities are modified by
//! graphs.

use super::elementwise::converted;
use super::graph::Importer;
use super::lowering::{LoweringError, malformed};
use super::scope::Binding;
use crate::proto::NodeProto;
use crate::tensors::dtype_of;
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, Softmax};

impl<'m> Importer<'m, '_> {
    pub(super) fn import_flex_attention(
        &mut self,
        node: &'m NodeProto,
        inputs: &[Option<&'m str>],
    ) -> Result<Vec<Binding>, LoweringError> {
        let mut operands = Vec::new();
        for name in inputs {
            let Some(value) = name.and_then(|name| self.value(name)) else { return malformed("lacks an input") };
            if self.cx.rank(value) != 4 {
                return malformed(format!("needs tensors of rank 4, not {}", self.cx.b.ty(value)));
            }
            operands.push(value);
        }
        let [query, key, value] = operands[..] else { return malformed("needs a query, a key and a value") };
        let attribute = |name: &str| node.attribute.iter().find(|attribute| attribute.name == name);
        let (shape, dtype) = (self.cx.shape(query), self.cx.dtype(query));
        let scale = attribute("scale").and_then(|attribute| attribute.f).map(f64::from);
        let scale = scale.unwrap_or(1.0 / (shape[3] as f64).sqrt());
        let precision = match attribute("softmax_precision").and_then(|attribute| attribute.i) {
            Some(number) => dtype_of(i32::try_from(number).unwrap_or(0)).map_err(LoweringError::DType)?,
            None if dtype == DType::F64 => DType::F64,
            None => DType::F32,
        };
        let (key, value) = (self.repeated_heads(key, shape[1])?, self.repeated_heads(value, shape[1])?);
        let [query, key, value] = [query, key, value].map(|x| converted(&mut self.cx, x, precision));
        let key = self.cx.b.swap_dims(key, 2, 3);
        let scores = self.cx.matmul(query, key)?;
        let scores = self.cx.b.binary_scalar(BinaryOp::Mul, scores, scale);
        let scores = self.modified(node, "score_mod", scores)?;
        let probabilities = self.cx.op("softmax", Softmax { dim: 3 }, &[scores])?;
        let probabilities = self.modified(node, "prob_mod", probabilities)?;
        let result = self.cx.matmul(probabilities, value)?;
        Ok(vec![Binding::Value(converted(&mut self.cx, result, dtype))])
    }

    /// Repeats each head of keys or values for a group of query heads.
    fn repeated_heads(&mut self, x: ValueId, heads: usize) -> Result<ValueId, LoweringError> {
        let shape = self.cx.shape(x);
        let [batch, own, length, size] = shape[..] else { return malformed("needs tensors of rank 4") };
        if own == heads {
            return Ok(x);
        }
        if own == 0 || !heads.is_multiple_of(own) {
            return malformed(format!("shares {own} heads between {heads} heads"));
        }
        let wide = self.cx.b.broadcast(x, &[0, 1, 3, 4], [batch, own, heads / own, length, size]);
        self.cx.reshape(wide, [batch, heads, length, size])
    }

    /// Applies a graph of the node to a tensor, if the node has it.
    fn modified(&mut self, node: &'m NodeProto, name: &str, x: ValueId) -> Result<ValueId, LoweringError> {
        let Some(graph) = node.attribute.iter().find(|a| a.name == name).and_then(|a| a.g.as_ref()) else {
            return Ok(x);
        };
        let results = self.inline(node, graph, vec![Binding::Value(x)])?;
        let result = results.first().and_then(|result| self.value_of(result));
        match result {
            Some(result) if self.cx.b.ty(result) == self.cx.b.ty(x) => Ok(result),
            Some(result) => malformed(format!("changes {} to {} by `{name}`", self.cx.b.ty(x), self.cx.b.ty(result))),
            None => malformed(format!("has a `{name}` that does not return a tensor")),
        }
    }
}
