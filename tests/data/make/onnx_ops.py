"""Writes ONNX models of one operation, each with inputs and the results of ONNX Runtime.

    python onnx_ops.py OUT            writes OUT/onnx/ops
    python onnx_ops.py --check DATA   compares with DATA/onnx/ops, writes nothing
"""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

import files

MICROSOFT = "com.microsoft"
TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int64": TensorProto.INT64, "int32": TensorProto.INT32,
         "uint8": TensorProto.UINT8, "int8": TensorProto.INT8, "bool": TensorProto.BOOL}  # fmt: skip
RANDOM = np.random.default_rng(7)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def ints(*shape, low=0, high=10, dtype=np.int64):
    return RANDOM.integers(low, high, shape).astype(dtype)


def numbers(items, dtype=np.float32):
    return np.array(items, dtype)


class Case:
    """A model of one operation. Operands are arrays; a pair with the word "constant" is an initializer, and None is omitted."""

    def __init__(self, name, op, opset, operands, results=1, domain="", **attributes):
        self.name, self.feeds, self.results = name, {}, None
        names, initializers, inputs = [], [], []
        for i, operand in enumerate(operands):
            if operand is None:
                names.append("")
                continue
            names.append(f"in{i}")
            if isinstance(operand, tuple):
                initializers.append(numpy_helper.from_array(operand[0], names[-1]))
            else:
                self.feeds[names[-1]] = operand
                inputs.append(helper.make_tensor_value_info(names[-1], TYPES[operand.dtype.name], operand.shape))
        # Results may be selected by a list of their places.
        places = range(results) if isinstance(results, int) else results
        outputs = [f"out{i}" if i in places else "" for i in range(max(places) + 1)]
        node = helper.make_node(op, names, outputs, domain=domain, **attributes)
        self.outputs = [name for name in outputs if name]
        infos = [helper.make_empty_tensor_value_info(name) for name in self.outputs]
        graph = helper.make_graph([node], "g", inputs, infos, initializers)
        imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
        self.model = helper.make_model(graph, opset_imports=imports, ir_version=8)

    def with_results(self, *results):
        self.results = results
        return self

    def with_attribute(self, name, value):
        self.model.graph.node[0].attribute.append(helper.make_attribute(name, value))
        return self

    @staticmethod
    def parsed(name, opset, feeds, text, functions=""):
        """Returns the case of a graph in the textual syntax of ONNX, with inputs of the given values. Functions have the domain `local`."""
        case = Case.__new__(Case)
        case.name, case.feeds, case.results = name, feeds, None
        dtype = {"bool": "bool", "int64": "int64", "int32": "int32", "float32": "float"}
        dims = lambda value: f"[{', '.join(map(str, value.shape))}]" if value.ndim else ""
        inputs = ", ".join(f"{dtype[value.dtype.name]}{dims(value)} {key}" for key, value in feeds.items())
        head, body = text.split("{", 1)
        case.model = parser.parse_model(
            f'<ir_version: 8, opset_import: ["" : {opset}, "local" : 1, "ai.onnx.preview" : 1]> {name} ({inputs}) => ({head.strip()}) {{{body} {functions}'
        )
        case.outputs = [output.name for output in case.model.graph.output]
        return case

    def expected(self):
        """Returns the given results, or those of ONNX Runtime, or of the reference evaluator if ONNX Runtime lacks the operation."""
        if self.results is not None:
            return dict(zip(self.outputs, self.results))
        try:
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 4
            options.intra_op_num_threads = 1
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            session = onnxruntime.InferenceSession(self.model.SerializeToString(), options, ["CPUExecutionProvider"])
            results = session.run(self.outputs, self.feeds)
        except Exception:
            results = ReferenceEvaluator(self.model).run(self.outputs, self.feeds)
            # NumPy computes with attributes in double precision.
            results = [result.astype(np.float32) if result.dtype == np.float64 else result for result in results]
        return dict(zip(self.outputs, map(np.asarray, results)))


def versions():
    """Operations whose operands, attributes or defaults differ between opsets."""
    x, image = floats(2, 3, 4), floats(1, 2, 4, 4)
    constant = lambda items, dtype=np.int64: (numbers(items, dtype), "constant")
    yield Case("softmax_7", "Softmax", 7, [x])
    yield Case("softmax_13", "Softmax", 13, [x])
    yield Case("log_softmax_11", "LogSoftmax", 11, [x], axis=1)
    yield Case("hardmax_11", "Hardmax", 11, [x])
    yield Case("hardmax_13", "Hardmax", 13, [x])
    yield Case("clip_7", "Clip", 7, [x], min=-0.5, max=0.25)
    yield Case("clip_13", "Clip", 13, [x, constant(-0.5, np.float32), None])
    yield Case("slice_7", "Slice", 7, [x], starts=[1, -3], ends=[9, -1], axes=[1, 2])
    yield Case("slice_10", "Slice", 10, [x, numbers([-1], np.int64), numbers([0], np.int64), constant([2]), constant([-2])])
    yield Case("pad_7", "Pad", 7, [x], pads=[0, 1, 0, 0, 0, 2], value=1.5)
    yield Case("pad_11", "Pad", 11, [x, numbers([0, 1, 0, 0, 0, 2], np.int64)], mode="reflect")
    yield Case("pad_18", "Pad", 18, [x, constant([1, 1]), constant(2.5, np.float32), constant([-1])])
    yield Case("split_7", "Split", 7, [x], results=2, axis=2, split=[1, 3])
    yield Case("split_18", "Split", 18, [x], results=3, axis=2, num_outputs=3)
    yield Case("squeeze_7", "Squeeze", 7, [floats(1, 3, 1)], axes=[0])
    yield Case("squeeze_13", "Squeeze", 13, [floats(1, 3, 1), numbers([-1], np.int64)])
    yield Case("unsqueeze_7", "Unsqueeze", 7, [x], axes=[0, 4])
    yield Case("unsqueeze_13", "Unsqueeze", 13, [x, numbers([0, -1], np.int64)])
    yield Case("reduce_sum_11", "ReduceSum", 11, [x], axes=[1], keepdims=0)
    yield Case("reduce_sum_13", "ReduceSum", 13, [x, numbers([-2], np.int64)])
    yield Case("reduce_max_17", "ReduceMax", 17, [x], axes=[0, 2])
    yield Case("reduce_max_18", "ReduceMax", 18, [x, numbers([0, 2], np.int64)])
    yield Case("topk_7", "TopK", 7, [x], results=2, k=2)
    yield Case("topk_10", "TopK", 10, [x, numbers([2], np.int64)], results=2)
    yield Case("topk_11", "TopK", 11, [ints(3, 8), numbers([3], np.int64)], results=2, largest=0, axis=1)
    yield Case("dropout_7", "Dropout", 7, [x], ratio=0.5)
    yield Case("dropout_13", "Dropout", 13, [x, numbers(0.0), numbers(True, np.bool_)], results=2)
    statistics = [floats(2), floats(2), floats(2), np.abs(floats(2)) + 0.5]
    yield Case("batch_norm_7", "BatchNormalization", 7, [image, *statistics], epsilon=0.01)
    yield Case("batch_norm_15", "BatchNormalization", 15, [image, *statistics], results=3, training_mode=1, momentum=0.75)
    yield Case("upsample_7", "Upsample", 7, [image], scales=[1.0, 1.0, 2.0, 3.0])
    yield Case("upsample_9", "Upsample", 9, [image, numbers([1, 1, 1.5, 2])], mode="linear")
    yield Case("resize_10", "Resize", 10, [image, numbers([1, 1, 0.5, 1.75])])
    yield Case("resize_11", "Resize", 11, [image, constant([], np.float32), constant([1, 1, 2, 0.75], np.float32)], mode="cubic",
               coordinate_transformation_mode="align_corners")  # fmt: skip
    yield Case("resize_13", "Resize", 13, [image, None, None, numbers([1, 2, 7, 3], np.int64)], mode="linear", nearest_mode="floor")
    yield Case("resize_18", "Resize", 18, [image, None, None, numbers([2, 2], np.int64)], mode="linear", axes=[2, 3], antialias=1)
    yield Case("group_norm_21", "GroupNormalization", 21, [floats(2, 4, 3), floats(4), floats(4)], num_groups=2)
    yield Case("cast_9", "Cast", 9, [numbers([-1.5, 2.5, 300.0])], to=TensorProto.INT32)
    yield Case("gelu_20", "Gelu", 20, [x], approximate="tanh")
    yield Case("one_hot_9", "OneHot", 9, [ints(4, high=3), constant([3]), constant([2.0, 5.0], np.float32)])
    yield Case("one_hot_11", "OneHot", 11, [ints(4, low=-3, high=3), constant([3]), constant([2.0, 5.0], np.float32)], axis=0)
    yield Case("scatter_9", "Scatter", 9, [floats(3, 4), ints(2, 2, high=3), floats(2, 2)])
    yield Case("scatter_elements_16", "ScatterElements", 16, [floats(3, 4), ints(2, 3, high=3), floats(2, 3)], reduction="add")
    yield Case("max_pool_8", "MaxPool", 8, [image], results=2, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 0, 1])
    yield Case("average_pool_7", "AveragePool", 7, [image], kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
    yield Case("average_pool_19", "AveragePool", 19, [image], kernel_shape=[2, 2], dilations=[2, 1], ceil_mode=1, strides=[2, 2])
    yield Case("depth_to_space_11", "DepthToSpace", 11, [floats(1, 8, 2, 3)], blocksize=2, mode="CRD")
    yield Case("equal_7", "Equal", 7, [ints(2, 3, high=2), ints(3, high=2)])
    yield Case("gemm_7", "Gemm", 7, [floats(2, 3), floats(4, 3), floats(4)], transB=1, alpha=0.5)
    yield Case("gemm_13", "Gemm", 13, [floats(3, 2), floats(3, 4)], transA=1)


def operations():
    """Operations that are lowered to several ops."""
    query, key, value = floats(1, 4, 3, 8), floats(1, 2, 5, 8), floats(1, 2, 5, 8)
    yield Case("attention_23", "Attention", 23, [query, key, value, floats(3, 5)], softcap=2.0)
    yield Case("attention_causal_23", "Attention", 23, [floats(2, 3, 8), floats(2, 3, 8), floats(2, 3, 8)], is_causal=1,
               q_num_heads=2, kv_num_heads=2)  # fmt: skip
    yield Case("rotary_23", "RotaryEmbedding", 23, [floats(1, 2, 3, 8), floats(10, 4), floats(10, 4), ints(1, 3)])
    x = floats(3, 2, 4)
    weights = lambda gates, directions=1: [floats(directions, gates * 5, 4), floats(directions, gates * 5, 5),
                                           floats(directions, 2 * gates * 5)]  # fmt: skip
    lengths = numbers([2, 3], np.int32)
    yield Case("lstm_14", "LSTM", 14, [x, *weights(4), None, None, None, floats(1, 15)], results=3, hidden_size=5)
    yield Case("lstm_both_14", "LSTM", 14, [x, *weights(4, 2), lengths, floats(2, 2, 5), floats(2, 2, 5)], results=3,
               hidden_size=5, direction="bidirectional", clip=0.75)  # fmt: skip
    yield Case("gru_14", "GRU", 14, [x, *weights(3)], results=2, hidden_size=5, linear_before_reset=1)
    yield Case("gru_reverse_14", "GRU", 14, [x, *weights(3), lengths], results=2, hidden_size=5, direction="reverse")
    yield Case("rnn_14", "RNN", 14, [x, *weights(1)], results=2, hidden_size=5, activations=["LeakyRelu"], activation_alpha=[0.25])
    image = floats(1, 2, 4, 5)
    grid = RANDOM.uniform(-1.3, 1.3, (1, 3, 4, 2)).astype(np.float32)
    yield Case("grid_sample_20", "GridSample", 20, [image, grid], mode="linear", padding_mode="reflection")
    yield Case("grid_sample_16", "GridSample", 16, [image, grid], mode="bicubic", padding_mode="zeros", align_corners=1)
    regions = numbers([[0, 0, 3, 2], [1, 1, 4, 3.5]])
    yield Case("roi_align_16", "RoiAlign", 16, [image, regions, numbers([0, 0], np.int64)], output_height=2, output_width=2,
               sampling_ratio=2)  # fmt: skip
    yield Case("affine_grid_20", "AffineGrid", 20, [floats(2, 2, 3), numbers([2, 1, 3, 2], np.int64)])
    yield Case("deform_conv_19", "DeformConv", 19, [floats(1, 2, 4, 4), floats(3, 2, 2, 2), floats(1, 8, 3, 3) * np.float32(0.5)])
    yield Case("lp_pool_18", "LpPool", 18, [image], kernel_shape=[2, 2], p=3)
    yield Case("max_unpool_11", "MaxUnpool", 11, [floats(1, 1, 2, 2), numbers([[[[5, 7], [13, 15]]]], np.int64)],
               kernel_shape=[2, 2], strides=[2, 2])  # fmt: skip
    yield Case("col2im_18", "Col2Im", 18, [floats(1, 4, 9), numbers([4, 4], np.int64), numbers([2, 2], np.int64)])
    yield Case("lrn_13", "LRN", 13, [floats(1, 5, 2, 2)], size=3, alpha=0.5, beta=0.6, bias=2.0)
    yield Case("layer_norm_17", "LayerNormalization", 17, [floats(2, 3, 4), floats(4), floats(4)], results=[0, 1, 2])
    scores, labels = floats(3, 5), numbers([1, 4, 2], np.int64)
    yield Case("cross_entropy_13", "SoftmaxCrossEntropyLoss", 13, [scores, labels, np.abs(floats(5))], results=2, ignore_index=4)
    yield Case("einsum_diagonal_12", "Einsum", 12, [floats(2, 3, 3)], equation="...ii->...i")
    yield Case("einsum_three_12", "Einsum", 12, [floats(2, 3), floats(3, 4), floats(4, 2)], equation="ij,jk,kl->il")
    cache, rows = (np.arange(count, dtype=np.float32).reshape(1, 2, -1, 3) for count in (36, 12))
    yield Case("tensor_scatter_24", "TensorScatter", 24, [cache, -rows, numbers([3], np.int64)])
    yield Case("gather_nd_12", "GatherND", 12, [floats(2, 3, 4), ints(2, 2, 1, high=3)], batch_dims=1)
    yield Case("reverse_sequence_10", "ReverseSequence", 10, [floats(4, 3), numbers([1, 2, 4], np.int64)])
    yield Case("compress_11", "Compress", 11, [floats(3, 4), (numbers([True, False, True], np.bool_), "constant")], axis=0)
    yield Case("quantize_13", "QuantizeLinear", 13, [floats(2, 3) * 20, numbers([0.5, 0.25, 2.0]), numbers([1, 2, 3], np.int8)], axis=1)
    yield Case("dequantize_13", "DequantizeLinear", 13, [ints(2, 3, dtype=np.uint8), numbers(0.5), numbers(3, np.uint8)])
    yield Case("dynamic_quantize_11", "DynamicQuantizeLinear", 11, [floats(3, 4)], results=3)
    quantized = [ints(2, 3, dtype=np.uint8), numbers([0.5]), numbers([4], np.uint8)]
    other = [ints(3, 4, dtype=np.uint8), numbers([0.25]), numbers([2], np.uint8)]
    yield Case("qlinear_matmul_10", "QLinearMatMul", 10, [*quantized, *other, numbers([0.75]), numbers([100], np.uint8)])
    yield Case("matmul_integer_10", "MatMulInteger", 10, [quantized[0], other[0], quantized[2], other[2]])
    pixels, kernel = ints(1, 2, 4, 4, high=200, dtype=np.uint8), ints(3, 2, 2, 2, high=200, dtype=np.uint8)
    yield Case("conv_integer_10", "ConvInteger", 10, [pixels, kernel, numbers(7, np.uint8), numbers(90, np.uint8)], pads=[1, 0, 0, 1])
    yield Case("qlinear_conv_10", "QLinearConv", 10, [pixels, numbers(0.02), numbers(7, np.uint8), kernel, numbers(0.01),
               numbers(90, np.uint8), numbers(0.5), numbers(120, np.uint8), ints(3, low=-9, high=9, dtype=np.int32)])  # fmt: skip


def microsoft():
    """Operations of ONNX Runtime."""
    case = lambda name, op, operands, **more: Case(name, op, 17, operands, domain=MICROSOFT, **more)
    x = floats(2, 3, 8)
    yield case("ms_bias_gelu", "BiasGelu", [x, floats(8)])
    yield case("ms_fast_gelu", "FastGelu", [x, floats(8)])
    yield case("ms_quick_gelu", "QuickGelu", [x], alpha=1.5)
    yield case("ms_fused_matmul", "FusedMatMul", [floats(2, 3, 4), floats(2, 5, 3)], transA=1, transB=1, alpha=0.5)
    yield case("ms_skip_layer_norm", "SkipLayerNormalization", [x, floats(2, 3, 8), floats(8), floats(8), floats(8)], results=[0, 3])
    yield case("ms_skip_rms_norm", "SkipSimplifiedLayerNormalization", [x, floats(2, 3, 8), floats(8)], results=[0, 3], epsilon=0.01)
    yield Case("rms_norm_1", "SimplifiedLayerNormalization", 17, [x, floats(8)], axis=-1, epsilon=0.01, stash_type=1)
    yield case("ms_rotary", "RotaryEmbedding", [x, numbers([2], np.int64), floats(10, 2), floats(10, 2)], interleaved=1)
    heads = [floats(2, 3, 8), floats(2, 4, 8), floats(2, 4, 8)]
    mask = numbers([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    yield case("ms_multi_head", "MultiHeadAttention", [*heads, floats(24), mask, floats(2, 2, 3, 4)], num_heads=2)
    own = [floats(2, 3, 8), floats(2, 3, 8), floats(2, 3, 8)]
    past = [floats(2, 2, 2, 4), floats(2, 2, 2, 4)]
    yield case("ms_multi_head_past", "MultiHeadAttention", [*own, None, None, None, *past], results=3, num_heads=2, unidirectional=1)
    caches = [floats(16, 8), floats(16, 8)]
    prompt = [floats(2, 3, 64), floats(2, 3, 32), floats(2, 3, 32), None, None, numbers([2, 2], np.int32), numbers([3], np.int32)]
    yield case("ms_group_query", "GroupQueryAttention", [*prompt, *caches], results=3, num_heads=4, kv_num_heads=2, do_rotary=1)
    step = [floats(2, 1, 32), floats(2, 1, 16), floats(2, 1, 16), floats(2, 2, 6, 8), floats(2, 2, 6, 8)]
    step += [numbers([4, 4], np.int32), numbers([5], np.int32)]
    yield case("ms_group_query_past", "GroupQueryAttention", step, results=3, num_heads=4, kv_num_heads=2, local_window_size=3)
    packed = ints(4, 2, 8, high=256, dtype=np.uint8)
    yield case("ms_matmul_bits", "MatMulNBits", [floats(2, 32), packed, floats(8), ints(4, high=256, dtype=np.uint8)], K=32, N=4,
               bits=4, block_size=16)  # fmt: skip
    left = [ints(2, 3, dtype=np.uint8), numbers(0.5), numbers(4, np.uint8)]
    right = [ints(3, dtype=np.uint8), numbers(0.25), numbers(2, np.uint8)]
    yield case("ms_qlinear_add", "QLinearAdd", [*left, *right, numbers(0.125), numbers(60, np.uint8)])


def first_opsets():
    """Operations with the semantics of opsets up to 6, which ONNX Runtime lacks: their results are those of NumPy."""
    x, y, z = floats(2, 3, 4), floats(3), floats(3, 4)
    yield Case("add_6", "Add", 6, [x, y], broadcast=1, axis=1).with_results(x + y[:, None])
    yield Case("greater_6", "Greater", 6, [x, z[0]], broadcast=1).with_results(x > z[0])
    yield Case("pow_6", "Pow", 6, [np.abs(x), z], broadcast=1, axis=-2).with_results(np.abs(x) ** z)
    yield Case("prelu_6", "PRelu", 6, [x, y]).with_results(np.where(x < 0, x * y[:, None], x))


def signals():
    """Fourier transforms, determinants, and operations whose results have a shape that depends on data."""
    constant = lambda items, dtype=np.int64: (numbers(items, dtype), "constant")
    signal = floats(2, 6, 3, 1)
    yield Case("dft_17", "DFT", 17, [signal, constant(8)], axis=1, onesided=1)
    yield Case("dft_20", "DFT", 20, [floats(2, 6, 3, 2), constant(4), constant(-3)], inverse=1)
    yield Case("stft_17", "STFT", 17, [floats(2, 16, 1), constant(4), floats(8)])
    yield Case("stft_complex_17", "STFT", 17, [floats(1, 10, 2), constant(3), None, constant(4)], onesided=0)
    yield Case("mel_17", "MelWeightMatrix", 17, [constant(5), constant(32), constant(8000), constant(50.0, np.float32),
               constant(3500.0, np.float32)])  # fmt: skip
    yield Case("det_11", "Det", 11, [floats(2, 3, 3)])
    repeated = numbers([[2, 1, 2], [3, 3, 1], [2, 1, 2]])
    yield Case("unique_11", "Unique", 11, [repeated], results=4, sorted=0)
    yield Case("unique_axis_11", "Unique", 11, [repeated], results=4, axis=0)
    corners = RANDOM.uniform(0, 1, (2, 12, 2)).astype(np.float32)
    boxes = np.concatenate([corners, corners + RANDOM.uniform(0.1, 0.8, (2, 12, 2)).astype(np.float32)], 2)
    limits = [numbers([4], np.int64), numbers([0.3]), numbers([0.25])]
    scores = RANDOM.uniform(0, 1, (2, 3, 12)).astype(np.float32)
    yield Case("non_max_suppression_11", "NonMaxSuppression", 11, [boxes, scores, *limits])
    yield Case("non_max_suppression_centred_10", "NonMaxSuppression", 10, [boxes, scores, *limits[:2]], center_point_box=1)
    yield Case("tf_idf_9", "TfIdfVectorizer", 9, [ints(3, 12, high=5, dtype=np.int32)], mode="TFIDF", min_gram_length=1, max_gram_length=2,
               max_skip_count=1, ngram_counts=[0, 3], ngram_indexes=[0, 2, 1, 4, 3], pool_int64s=[1, 2, 4, 1, 2, 3, 3],
               weights=[0.5, 1.0, 2.0, 3.0, 4.0])  # fmt: skip
    yield Case.parsed("cast_saturates_19", 19, {"x": numbers([-1000, 3.3, 1e6, -0.001])}, """float[4] a, bool[4] b {
        small = Cast <to = 17> (x)
        a = Cast <to = 1> (small)
        large = Cast <to = 19, saturate = 0> (x)
        wide = Cast <to = 1> (large)
        b = IsInf(wide)
    }""")


def optimizers():
    """Optimizers, with results of NumPy, or of the reference evaluator."""
    rate, step = numbers(0.1), numbers(3, np.int64)
    case = lambda name, operands, **more: Case(name.lower() + "_1", name, 24, [rate, step, *operands], domain="ai.onnx.preview.training", **more)
    x, other = floats(3), floats(2, 2)
    states = [np.abs(floats(3)), np.abs(floats(2, 2))]
    gradients = [floats(3), floats(2, 2)]
    yield case("Adagrad", [x, other, *gradients, *states], results=4, decay_factor=0.1, norm_coefficient=0.01)
    yield case("Momentum", [x, gradients[0], floats(3)], results=2, mode="nesterov", alpha=0.9, beta=0.5, norm_coefficient=0.01)
    yield case("Adam", [x, gradients[0], floats(3), states[0]], results=3, norm_coefficient=0.01, norm_coefficient_post=0.02)


def control():
    """Branches, loops, sequences and optionals."""
    x, w = floats(2, 3), floats(3, 3)
    yes, no = numbers(True, np.bool_), numbers(False, np.bool_)
    yield Case.parsed("if_16", 16, {"x": x, "w": w, "c": no}, """float[2, 3] y, float[2, 3] z {
        h = MatMul(x, w)
        y, z = If (c) <then_branch = left () => (float[2, 3] a, float[2, 3] b) { a = Relu(h) b = Add(a, x) },
                       else_branch = right () => (float[2, 3] a, float[2, 3] b) { a = Identity(x) b = MatMul(h, w) }>
    }""")
    yield Case.parsed("if_shapes_16", 16, {"x": x, "n": numbers([2], np.int64)}, """y {
        zero = Constant <value = int64 {0}> ()
        first = Gather(n, zero)
        three = Constant <value = int64 {3}> ()
        c = Less(first, three)
        y = If (c) <then_branch = left () => (a) { axes = Constant <value_ints = [0]> () a = ReduceSum <keepdims = 0> (x, axes) },
                    else_branch = right () => (a) { a = Identity(x) }>
    }""")
    yield Case.parsed("loop_16", 16, {"x": x, "w": w}, """float[2, 3] y, float[4, 2, 3] all {
        n = Constant <value = int64 {4}> ()
        c = Constant <value = bool {1}> ()
        y, all = Loop (n, c, x) <body = step (int64 i, bool go, float[2, 3] s) => (bool next, float[2, 3] t, float[2, 3] o) {
            next = Identity(go)
            p = MatMul(s, w)
            t = Tanh(p)
            f = Cast <to = 1> (i)
            o = Add(t, f)
        }>
    }""")
    # Newton's method for a square root, until the difference is small.
    yield Case.parsed("loop_condition_16", 16, {"x": numbers([2.0])}, """float[1] y, int64 steps {
        n = Constant <value = int64 {50}> ()
        c = Constant <value = bool {1}> ()
        zero = Constant <value = int64 {0}> ()
        y, steps = Loop (n, c, x, zero) <body = step (int64 i, bool go, float[1] s, int64 k) => (bool next, float[1] t, int64 m) {
            one = Constant <value = int64 {1}> ()
            m = Add(k, one)
            q = Div(x, s)
            sum = Add(s, q)
            half = Constant <value = float {0.5}> ()
            t = Mul(sum, half)
            d = Sub(s, t)
            size = Abs(d)
            limit = Constant <value = float {0.001}> ()
            far = Greater(size, limit)
            scalar = Constant <value = int64[0] {}> ()
            next = Reshape(far, scalar)
        }>
    }""")
    yield Case.parsed("loop_trip_16", 16, {"x": x, "n": numbers(3, np.int64), "c": yes}, """float[2, 3] y {
        y = Loop (n, c, x) <body = step (int64 i, bool go, float[2, 3] s) => (bool next, float[2, 3] t) {
            next = Identity(go)
            t = Add(s, x)
        }>
    }""")
    # The state grows, so that the loop is unrolled.
    yield Case.parsed("loop_grows_16", 16, {"x": floats(1, 3)}, """float[4, 3] y {
        n = Constant <value = int64 {3}> ()
        y = Loop (n, , x) <body = step (int64 i, bool go, float[k, 3] s) => (bool next, float[m, 3] t) {
            next = Identity(go)
            twice = Add(x, x)
            t = Concat <axis = 0> (s, twice)
        }>
    }""")
    yield Case.parsed("loop_nested_16", 16, {"x": x, "w": w, "c": yes}, """float[2, 3] y {
        n = Constant <value = int64 {2}> ()
        three = Constant <value = int64 {3}> ()
        y = Loop (n, , x) <body = outer (int64 i, bool go, float[2, 3] s) => (bool next, float[2, 3] t) {
            next = Identity(go)
            h = MatMul(s, w)
            g = Sigmoid(h)
            r = Loop (three, , h) <body = inner (int64 j, bool run, float[2, 3] u) => (bool again, float[2, 3] v) {
                again = Identity(run)
                a = Add(u, s)
                v = If (c) <then_branch = left () => (p) { p = Tanh(a) }, else_branch = right () => (p) { p = Mul(a, g) }>
            }>
            t = Sub(r, x)
        }>
    }""")
    # A loop that would not end in the branch that is not taken.
    yield Case.parsed("if_loop_16", 16, {"x": numbers([1.0]), "c": no}, """float[1] y {
        y = If (c) <then_branch = left () => (a) {
            a = Loop ( , c, x) <body = step (int64 i, bool go, float[1] s) => (bool next, float[1] t) {
                next = Identity(c)
                t = Add(s, x)
            }>
        }, else_branch = right () => (a) { a = Neg(x) }>
    }""")
    yield Case.parsed("scan_11", 11, {"x": floats(4, 2, 3), "s": floats(2)}, """float[2] y, float[2, 2, 3] all {
        y, all = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1], scan_output_axes = [1],
                       scan_output_directions = [1], body = step (float[2] a, float[4, 3] e) => (float[2] b, float[2, 3] o) {
            zero = Constant <value = int64[1] {0}> ()
            two = Constant <value = int64[1] {2}> ()
            m = ReduceMean <axes = [0], keepdims = 0> (e)
            half = Slice(m, zero, two)
            b = Add(a, half)
            wide = Unsqueeze <axes = [1]> (b)
            row = Unsqueeze <axes = [0]> (m)
            o = Mul(wide, row)
        }> (s, x)
    }""")
    yield Case.parsed("scan_8", 8, {"x": floats(2, 3, 2), "s": floats(2, 2)}, """float[2, 2] y, float[2, 3, 2] all {
        y, all = Scan <num_scan_inputs = 1, body = step (float[2] a, float[2] e) => (float[2] b, float[2] o) {
            b = Add(a, e)
            o = Tanh(b)
        }> ( , s, x)
    }""")
    yield Case.parsed("flex_attention_1", 24, {"q": floats(1, 4, 3, 8), "k": floats(1, 2, 5, 8), "v": floats(1, 2, 5, 6)}, """float[1, 4, 3, 6] y {
        y = ai.onnx.preview.FlexAttention <scale = 0.5, score_mod = soft (s) => (t) { t = Tanh(s) },
                                           prob_mod = half (p) => (r) { two = Constant <value = float {2.0}> () r = Div(p, two) }> (q, k, v)
    }""")
    function = '<domain: "local", opset_import: ["" : 18, "local" : 1]>'
    yield Case.parsed("functions_18", 18, {"x": x, "w": w, "c": no}, """float[2, 3] y, float[2, 3] z {
        y, h = local.block <slope = 0.5> (x, w, c)
        z, g = local.block (h, w, c)
    }""", f"""
    {function} block <slope: float = 0.25> (x, w, c) => (y, h) {{
        h = MatMul(x, w)
        y = If (c) <then_branch = left () => (a) {{ a = local.twice(h) }},
                    else_branch = right () => (a) {{ a = LeakyRelu <alpha: float = @slope> (h) }}>
    }}
    {function} twice (x) => (y) {{ y = Add(x, x) }}""")
    yield Case.parsed("sequence_13", 13, {"x": floats(4, 3)}, """float[5, 3] y, float[3] z, int64 n {
        parts = SplitToSequence <axis = 0> (x)
        n = SequenceLength(parts)
        c = Constant <value = bool {1}> ()
        none = SequenceEmpty()
        sums = Loop (n, c, none) <body = step (int64 i, bool go, seq(float[1, 3]) s) => (bool next, seq(float[1, 3]) t) {
            next = Identity(go)
            part = SequenceAt(parts, i)
            sum = Exp(part)
            t = SequenceInsert(s, sum)
        }>
        second = Constant <value = int64 {1}> ()
        first = SequenceAt(parts, second)
        more = SequenceInsert(sums, first, second)
        y = ConcatFromSequence <axis = 0> (more)
        last = Constant <value = int64 {-1}> ()
        rest = SequenceErase(more, last)
        row = SequenceAt(rest, last)
        axes = Constant <value = int64[1] {0}> ()
        z = Squeeze(row, axes)
    }""")


def resizes():
    """Scales for which the size of the result is not the scaled size of the operand."""
    image, scales = floats(1, 1, 5, 10), numbers([1, 1, 1.5, 1.3])
    case = lambda name, *operands, **attributes: Case(f"resize_{name}_19", "Resize", 19, [image, *operands], **attributes)
    yield case("align_corners", None, scales, mode="linear", coordinate_transformation_mode="align_corners")
    yield case("align_corners_cubic", None, scales, mode="cubic", coordinate_transformation_mode="align_corners")
    yield case("align_corners_nearest", None, scales, coordinate_transformation_mode="align_corners", nearest_mode="floor")
    yield case("half_pixel", None, scales, mode="cubic")
    yield case("asymmetric", None, None, numbers([1, 1, 3, 7], np.int64), coordinate_transformation_mode="asymmetric",
               nearest_mode="round_prefer_ceil")  # fmt: skip
    yield case("symmetric", None, scales, mode="linear", coordinate_transformation_mode="half_pixel_symmetric")
    yield case("one", None, numbers([1, 1, 0.3, 0.15]), mode="cubic", coordinate_transformation_mode="pytorch_half_pixel")
    region = numbers([0, 0, 0.1, 0.2, 1, 1, 0.9, 0.75])
    yield case("region", region, scales, mode="linear", coordinate_transformation_mode="tf_crop_and_resize")
    yield case("region_one", region, numbers([1, 1, 0.3, 1.3]), mode="linear", coordinate_transformation_mode="tf_crop_and_resize")


def fused():
    """Operations that the tools of ONNX Runtime emit."""
    case = lambda name, op, operands, **more: Case(f"ms_{name}", op, 17, operands, domain=MICROSOFT, **more)
    codes = lambda *shape: ints(*shape, high=256, dtype=np.uint8)
    signed = lambda *shape: ints(*shape, low=-128, high=128, dtype=np.int8)
    byte = lambda x: numbers(x, np.uint8)
    probability = [numbers(1 / 256), byte(0)]
    yield case("qlinear_softmax", "QLinearSoftmax", [codes(2, 3, 5), numbers(0.02), byte(12), *probability], axis=-1).with_attribute("opset", 13)
    yield case("qlinear_softmax_flat", "QLinearSoftmax", [codes(2, 3, 5), numbers(0.02), byte(12), *probability], axis=1).with_attribute("opset", 12)
    yield case("qlinear_sigmoid", "QLinearSigmoid", [signed(3, 7), numbers(0.03), numbers(-20, np.int8), numbers(1 / 128),
               numbers(-100, np.int8)])  # fmt: skip
    yield case("qlinear_concat", "QLinearConcat", [numbers(0.1), byte(30), codes(2, 3), numbers(0.1), byte(30), codes(2, 4), numbers(0.07),
               byte(100)], axis=1)  # fmt: skip
    left, right = [codes(3, 6), numbers(0.02), byte(120)], [signed(5, 6), numbers([0.01, 0.02, 0.015, 0.03, 0.01])]
    more = [np.zeros(5, np.int8), ints(5, low=-999, high=999, dtype=np.int32)]
    yield case("qgemm", "QGemm", [*left, *right, *more, numbers(0.25), byte(110)], transB=1, alpha=0.5)
    yield case("qgemm_float", "QGemm", [codes(6, 3), numbers(0.02), byte(120), signed(6, 5), numbers(0.01), numbers(4, np.int8)], transA=1)
    matrices = [floats(3, 6), floats(5, 6), floats(5)]
    yield case("fused_gemm", "FusedGemm", matrices, transB=1, alpha=0.5, activation="Relu")
    yield case("fused_gemm_leaky", "FusedGemm", matrices, transB=1, activation="LeakyRelu", activation_alpha=0.2)
    image, kernel = floats(1, 3, 5, 4), floats(2, 3, 3, 3)
    yield case("fused_conv", "FusedConv", [image, kernel, floats(2), floats(1, 2, 5, 4)], pads=[1, 1, 1, 1], activation="Relu")
    yield case("fused_conv_clip", "FusedConv", [image, kernel], activation="Clip", activation_params=[-0.5, 1.5])
    ids = ints(2, 4, high=9, dtype=np.int32)
    tables = [floats(9, 6), floats(7, 6)]
    weights, mask = [floats(6), floats(6)], numbers([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    yield case("embed_layer_norm", "EmbedLayerNormalization", [ids, ints(2, 4, high=2, dtype=np.int32), *tables, floats(2, 6), *weights, mask,
               ints(2, 4, high=7, dtype=np.int32)], results=2, epsilon=0.01)  # fmt: skip
    yield case("embed_layer_norm_plain", "EmbedLayerNormalization", [ids, None, *tables, None, *weights], results=2)
    packed = [floats(2, 4, 6), floats(6, 24), floats(24)]
    lengths = numbers([3, 2], np.int32)
    yield case("attention", "Attention", [*packed, lengths], num_heads=2)
    yield case("attention_padded", "Attention", [*packed, numbers([4, 3, 1, 0], np.int32), None, floats(2, 2, 4, 4)], num_heads=2)
    yield case("attention_mask", "Attention", [*packed, mask], num_heads=2, mask_filter_value=-50.0)
    yield case("attention_past", "Attention", [*packed, None, floats(2, 2, 2, 3, 4)], results=2, num_heads=2, unidirectional=1)
    yield case("attention_sizes", "Attention", [floats(2, 4, 6), floats(6, 20), floats(20)], num_heads=2, qkv_hidden_sizes=[8, 8, 4])
    heads = [floats(2, 4, 8), floats(2, 4, 8), floats(2, 4, 8)]
    yield case("multi_head_lengths", "MultiHeadAttention", [*heads, floats(24), lengths], num_heads=2)
    codes = lambda *shape: (signed(*shape), "constant")
    constant = lambda items, dtype=np.float32: (numbers(items, dtype), "constant")
    yield case("dynamic_lstm", "DynamicQuantizeLSTM", [floats(3, 2, 4), codes(2, 4, 20), codes(2, 5, 20), floats(2, 40), None, floats(2, 2, 5),
               floats(2, 2, 5), None, constant([0.01, 0.02]), constant([0, 0], np.int8), constant([0.015, 0.01]), constant([0, 0], np.int8)],
               results=3, hidden_size=5, direction="bidirectional")  # fmt: skip
    yield case("qlinear_global_average_pool", "QLinearGlobalAveragePool", [ints(2, 3, 4, 5, high=256, dtype=np.uint8), numbers(0.02), byte(120),
               numbers(0.01), byte(100)])  # fmt: skip


def sinks():
    """Attention with a score without a value."""
    prompt = [floats(2, 3, 64), floats(2, 3, 32), floats(2, 3, 32), None, None, numbers([2, 1], np.int32), numbers([3], np.int32)]
    case = lambda name, *operands, **more: Case(f"ms_group_query_{name}", "GroupQueryAttention", 17, [*prompt, *operands], domain=MICROSOFT,
                                                results=3, num_heads=4, kv_num_heads=2, **more)  # fmt: skip
    yield case("smooth", smooth_softmax=1)
    yield case("sink", None, None, None, None, floats(4))


def write(out, only):
    """Writes the models whose name starts with `only`, and their inputs and results."""
    folder = out / "onnx" / "ops"
    folder.mkdir(parents=True, exist_ok=True)
    for case in [*versions(), *operations(), *microsoft(), *first_opsets(), *signals(), *control(), *optimizers(), *resizes(), *fused(), *sinks()]:
        if case.name.startswith(only):
            onnx.save(case.model, folder / f"{case.name}.onnx")
            files.save_safetensors(folder / f"{case.name}.io.safetensors", case.feeds | case.expected())


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
