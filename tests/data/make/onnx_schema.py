"""Writes the signatures of the operations of ONNX and of ONNX Runtime's domain `com.microsoft`, one row for each operation and version.

    python onnx_schema.py OUT       writes OUT
    python onnx_schema.py --check OUT   compares with OUT, writes nothing
"""

import pathlib
import sys

import onnx
from onnx import defs
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

FIRST_OPSET = 1
HEAD = f"""\
# Signatures of operations by version, written by tests/data/make/onnx_schema.py from `onnx.defs` of ONNX {onnx.__version__}
# (opsets {FIRST_OPSET} to {defs.onnx_opset_version()}) and from the schemas of ONNX Runtime.
# OPERATION FIRST-OPSET INPUTS RESULTS ATTRIBUTE:TYPE ..; `!` marks a required attribute, `*` any number of operands.
"""
# Operations of ONNX Runtime that the importer lowers.
CONTRIBUTED = """
    BiasAdd BiasGelu DequantizeLinear FastGelu FusedMatMul Gelu GroupQueryAttention MatMulIntegerToFloat MatMulNBits
    MultiHeadAttention QLinearAdd QLinearMul QuantizeLinear QuickGelu RotaryEmbedding SimplifiedLayerNormalization
    SkipLayerNormalization SkipSimplifiedLayerNormalization Trilu
""".split()
# Operations of the preview domains that the importer lowers.
PREVIEWS = ("ai.onnx.preview", "ai.onnx.preview.training")
PREVIEWED = "Adagrad Adam FlexAttention Momentum".split()
TYPES = {
    "FLOAT": "float", "INT": "int", "STRING": "text", "TENSOR": "tensor", "FLOATS": "floats", "INTS": "ints",
    "STRINGS": "texts", "SPARSE_TENSOR": "sparse", "GRAPH": "graph", "TYPE_PROTO": "type",
}  # fmt: skip
MANY = 1 << 20


def row(schema, name):
    """Returns the line of a schema."""

    def count(least, most):
        most = "*" if most > MANY else most
        return str(least) if least == most else f"{least}..{most}"

    def attribute(key, value):
        kind = TYPES[str(value.type).rsplit(".", 1)[-1]]
        return f"{key}:{kind}{'!' if value.required else ''}"

    attributes = [attribute(key, schema.attributes[key]) for key in sorted(schema.attributes)]
    sizes = [count(schema.min_input, schema.max_input), count(schema.min_output, schema.max_output)]
    return " ".join([name, str(schema.since_version), *sizes, *attributes])


def table():
    """Returns the text of the table."""
    versions = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            versions.setdefault(schema.name, []).append(schema)
        elif schema.domain in PREVIEWS and schema.name in PREVIEWED:
            versions.setdefault(f"{schema.domain}:{schema.name}", []).append(schema)
    lines = []
    for name in sorted(versions):
        known = sorted(versions[name], key=lambda schema: schema.since_version)
        # The version in effect at the first supported opset, and later ones.
        old = [schema for schema in known if schema.since_version <= FIRST_OPSET][-1:]
        lines += [row(schema, name) for schema in old + [s for s in known if s.since_version > FIRST_OPSET]]
    own = runtime.get_all_operator_schema()
    for schema in sorted(own, key=lambda schema: schema.name):
        if schema.name in CONTRIBUTED and schema.domain in ("", "com.microsoft") and (
            schema.domain or schema.name == "SimplifiedLayerNormalization"
        ):
            domain = f"{schema.domain}:" if schema.domain else ""
            lines.append(row(schema, domain + schema.name))
    return HEAD + "\n".join(lines) + "\n"


def main():
    *check, out = sys.argv[1:]
    path, text = pathlib.Path(out), table()
    if not check:
        path.write_text(text)
    elif path.read_text() != text:
        sys.exit(f"{out} differs from the schemas")


main()
