//! Errors of unsupported programs and damaged archives.

use crate::common::{archive, changed, with_graph, with_json};
use partita_ir::diag::{Code, Diagnostic};
use serde_json::{Value, json};
use std::io::Write;
use zip::write::{SimpleFileOptions, ZipWriter};

/// Returns the errors of an archive.
fn errors(bytes: Vec<u8>) -> Vec<Diagnostic> {
    partita_torch::import_bytes("model.pt2", bytes).err().expect("the archive is invalid")
}

/// Returns the only error of an archive: its code and title.
fn error(bytes: Vec<u8>) -> (Code, String) {
    let errors = errors(bytes);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    (errors[0].code, errors[0].title.clone())
}

/// Returns the first node of a graph with the operation.
fn node<'v>(graph: &'v mut Value, op: &str) -> &'v mut Value {
    let nodes = graph["nodes"].as_array_mut().unwrap();
    nodes.iter_mut().find(|node| node["target"] == format!("torch.ops.aten.{op}")).unwrap()
}

/// Returns an operand of a node.
fn operand<'v>(node: &'v mut Value, name: &str) -> &'v mut Value {
    let inputs = node["inputs"].as_array_mut().unwrap();
    &mut inputs.iter_mut().find(|input| input["name"] == name).unwrap()["arg"]
}

/// An unknown operation is reported once, with its module and the lines of Python; nodes that read its results are not.
#[test]
fn unknown_operations_are_located() {
    let bytes = with_graph(&archive("classifier"), |graph| {
        node(graph, "linear.default")["target"] = json!("torch.ops.aten.frobnicate.default");
    });
    let errors = errors(bytes);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(errors[0].code, Code::F001);
    assert_eq!(errors[0].title, "PyTorch operation `aten.frobnicate.default` cannot be lowered");
    let text = format!("{:?}", errors[0]);
    assert!(text.contains("in module `up`"), "{text}");
    assert!(text.contains("torch_models.py") && text.contains("self.up(self.norm(x))"), "{text}");
}

#[test]
fn unsupported_options_are_named() {
    let bytes = with_graph(&archive("gpt2"), |graph| {
        let attention = node(graph, "scaled_dot_product_attention.default");
        let dropout = json!({"name": "dropout_p", "arg": {"as_float": 0.5}, "kind": 1});
        attention["inputs"].as_array_mut().unwrap().push(dropout);
    });
    let (code, title) = error(bytes);
    assert_eq!(code, Code::F001);
    assert!(title.contains("with dropout: export the model in evaluation mode"), "{title}");
}

#[test]
fn symbolic_dimensions_are_refused() {
    let bytes = with_graph(&archive("classifier"), |graph| {
        graph["tensor_values"]["x"]["sizes"][0] = json!({"as_expr": {"expr_str": "Symbol('s77', integer=True)"}});
    });
    let errors = errors(bytes);
    assert_eq!(errors[0].code, Code::F003);
    assert_eq!(errors[0].title, "dimension 0 of input `x` is symbolic, but shapes are static");
    let text = format!("{:?}", errors[0]);
    assert!(text.contains("its size is `s77`") && text.contains("without `dynamic_shapes`"), "{text}");
}

/// Shapes and numbers that depend on elements are no symbolic dimensions of inputs, and have other remedies. A number
/// that no operation reads is no error.
#[test]
fn dependence_on_elements_is_explained() {
    let unbacked = |graph: &mut Value| {
        let size = json!({"as_expr": {"expr_str": "Symbol('u0', integer=True)"}});
        graph["tensor_values"]["relu"]["sizes"][0] = size;
    };
    let errors_of_shape = errors(with_graph(&archive("classifier"), unbacked));
    assert_eq!(errors_of_shape[0].code, Code::F003);
    let text = format!("{:?}", errors_of_shape[0]);
    assert!(text.contains("depends on the elements of an operand") && text.contains("torch.where"), "{text}");
    assert!(!text.contains("dynamic_shapes"), "{text}");
    let with_number = |is_read: bool| {
        with_graph(&archive("classifier"), |graph| {
            let operand = |name: &str, arg: Value| json!({"name": name, "arg": arg, "kind": 1});
            let number = json!({"as_sym_float": {"as_name": "item"}});
            let item = json!({
                "target": "torch.ops.aten.item.default",
                "inputs": [operand("self", json!({"as_tensor": {"name": "x"}}))],
                "outputs": [number.clone()],
                "metadata": {},
            });
            let sum = json!({
                "target": "torch.ops.aten.add.Tensor",
                "inputs": [operand("self", json!({"as_tensor": {"name": "x"}})), operand("other", number)],
                "outputs": [{"as_tensor": {"name": "shifted"}}],
                "metadata": {},
            });
            graph["tensor_values"]["shifted"] = graph["tensor_values"]["x"].clone();
            let nodes = graph["nodes"].as_array_mut().unwrap();
            nodes.splice(0..0, if is_read { vec![item, sum] } else { vec![item] });
        })
    };
    assert!(partita_torch::import_bytes("m.pt2", with_number(false)).is_ok());
    let text = format!("{:?}", errors(with_number(true))[0]);
    assert!(text.contains("reads `item`, a number that is computed from the elements of a tensor"), "{text}");
}

/// Decomposition is advised for operations that it helps with.
#[test]
fn decomposition_is_advised_where_it_helps() {
    for (name, is_decomposed) in [("tensordot.default", true), ("frobnicate.default", false)] {
        let bytes = with_graph(&archive("classifier"), |graph| {
            node(graph, "linear.default")["target"] = json!(format!("torch.ops.aten.{name}"));
        });
        let text = format!("{:?}", errors(bytes)[0]);
        assert_eq!(text.contains("run_decompositions") && text.contains("no_grad"), is_decomposed, "{text}");
    }
}

/// Types that the archive records are compared with those of the lowered operations.
#[test]
fn wrong_types_are_found() {
    let bytes = with_graph(&archive("classifier"), |graph| {
        graph["tensor_values"]["relu"]["sizes"][0] = json!({"as_int": 7});
    });
    let (code, title) = error(bytes);
    assert_eq!(code, Code::F002);
    assert!(title.contains("computes f32[6, 16], but the archive states f32[7, 16]"), "{title}");
}

/// A tensor may not be read after a view that may be a copy has been changed in place.
#[test]
fn views_of_changed_memory_are_refused() {
    let add = |input: &str, output: &str, op: &str| {
        let operand = |name: &str, arg: Value| json!({"name": name, "arg": arg, "kind": 1});
        json!({
            "target": format!("torch.ops.aten.{op}"),
            "inputs": [operand("self", json!({"as_tensor": {"name": input}})), operand("other", json!({"as_int": 1}))],
            "outputs": [{"as_tensor": {"name": output}}],
            "metadata": {},
        })
    };
    let insert = |first: Value| {
        with_graph(&archive("classifier"), move |graph| {
            let ty = graph["tensor_values"]["x"].clone();
            for name in ["view", "changed", "again"] {
                graph["tensor_values"][name] = ty.clone();
            }
            let view = json!({
                "target": "torch.ops.aten.contiguous.default",
                "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
                "outputs": [{"as_tensor": {"name": "view"}}],
                "metadata": {},
            });
            let nodes = graph["nodes"].as_array_mut().unwrap();
            nodes.splice(0..0, [view, first.clone(), add("x", "again", "add.Tensor")]);
        })
    };
    assert!(partita_torch::import_bytes("m.pt2", insert(add("view", "changed", "add.Tensor"))).is_ok());
    let errors = errors(insert(add("view", "changed", "add_.Tensor")));
    assert!(errors[0].title.contains("reads `x`, whose memory another operation has changed"), "{errors:#?}");
}

#[test]
fn archives_of_other_kinds_are_explained() {
    let only = |entries: &[&str]| {
        let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for name in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(b"{}").unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    let cases: [(Vec<u8>, Code, &str); 5] = [
        (b"not a zip file".to_vec(), Code::F002, "is truncated, or not an exported PyTorch program"),
        (only(&["m/data.pkl"]), Code::F002, "contains no exported program"),
        (only(&["m/data/aotinductor/model/a.so"]), Code::F002, "contains compiled code, not an exported program"),
        (only(&["serialized_exported_program.json"]), Code::F003, "was saved by PyTorch 2.7 or earlier"),
        (only(&["m/models/a.json", "m/models/b.json"]), Code::F002, "contains 2 exported programs, not 1"),
    ];
    for (bytes, code, want) in cases {
        let (found, title) = error(bytes);
        assert_eq!(found, code, "{title}");
        assert!(title.contains(want), "{title}");
    }
    let version = with_json(&archive("classifier"), "models/model.json", |p| p["schema_version"]["major"] = json!(7));
    assert_eq!(error(version).1, "`model.pt2` has the schema version 7.20, which is not supported");
    let order = changed(&archive("classifier"), |name, content| {
        Some(if name == "byteorder" { b"big".to_vec() } else { content })
    });
    assert_eq!(error(order).1, "the weights of `model.pt2` are not little-endian");
}

/// Change of the entry of a weight.
type Change = fn(&mut Value);

/// Sizes that are larger than the data are errors, and allocate nothing.
#[test]
fn hostile_sizes_are_refused() {
    let config = "data/weights/model_weights_config.json";
    let entry = |change: Change| {
        let bytes = with_json(&archive("classifier"), config, |json| change(&mut json["config"]["up.weight"]));
        with_graph(&bytes, |graph| {
            // The type in the graph agrees with a changed type of the weight.
            let mut payload = json!({ "tensor_meta": graph["tensor_values"]["p_up_weight"] });
            change(&mut payload);
            graph["tensor_values"]["p_up_weight"] = payload["tensor_meta"].clone();
        })
    };
    let cases: [(Change, &str); 9] = [
        (|w| w["tensor_meta"]["sizes"][0] = json!({"as_int": 1_i64 << 39}), "has too little data for `up.weight`"),
        (|w| w["tensor_meta"]["sizes"][0] = json!({"as_int": i64::MAX}), "has the size"),
        (|w| w["tensor_meta"]["sizes"][0] = json!({"as_int": -1}), "has the size -1"),
        (|w| w["tensor_meta"]["strides"][0] = json!({"as_int": i64::MAX}), "has too little data"),
        (|w| w["tensor_meta"]["strides"] = json!([]), "has too little data"),
        (|w| w["tensor_meta"]["storage_offset"] = json!({"as_int": 1_i64 << 62}), "has too little data"),
        (|w| w["path_name"] = json!("../../../../etc/passwd"), "lacks the entry"),
        (|w| w["tensor_meta"]["dtype"] = json!(10), "has too little data"),
        (|w| w["tensor_meta"]["dtype"] = json!(99), "has the element type of an unknown number"),
    ];
    for (change, want) in cases {
        let errors = errors(entry(change));
        assert!(errors[0].title.contains(want), "{want}: {errors:#?}");
    }
    // Strides of 0 would repeat one element 2^39 times.
    let repeated = entry(|w| {
        w["tensor_meta"]["sizes"] = json!([{"as_int": 1_i64 << 30}, {"as_int": 512}]);
        w["tensor_meta"]["strides"] = json!([{"as_int": 0}, {"as_int": 0}]);
    });
    assert!(errors(repeated)[0].title.contains("has too little data"));
    let pickled = entry(|w| w["use_pickle"] = json!(true));
    assert_eq!(errors(pickled)[0].code, Code::F003);
}

/// Operands of any value are errors or valid programs.
#[test]
fn hostile_operands_never_panic() {
    let extremes = [0, -1, 1, 3, 64, 1 << 31, 1 << 40, i64::MIN, i64::MAX];
    for name in ["vit", "gpt2.core", "resnet", "geometry", "margins", "recurrent", "signals", "views"] {
        let bytes = archive(name);
        let count = {
            let counter = std::cell::Cell::new(0);
            with_graph(&bytes, |graph| counter.set(integers(graph, &mut |_, _| ()).len()));
            counter.get()
        };
        // Each integer of the graph gets one of the extremes, in turn.
        for at in (0..count).step_by(7) {
            let extreme = extremes[at / 7 % extremes.len()];
            let bytes = with_graph(&bytes, |graph| {
                integers(graph, &mut |i, value| {
                    if i == at {
                        *value = json!(extreme);
                    }
                });
            });
            if let Ok(imported) = partita_torch::import_bytes("m.pt2", bytes) {
                partita_ir::verify::verify(&imported.program).map_err(|e| format!("{e:?}")).unwrap();
            }
        }
    }
}

/// Visits all integers among the operands of nodes, and returns their numbers.
fn integers(graph: &mut Value, visit: &mut dyn FnMut(usize, &mut Value)) -> Vec<usize> {
    let mut numbers = Vec::new();
    for node in graph["nodes"].as_array_mut().unwrap() {
        for input in node["inputs"].as_array_mut().unwrap() {
            let arg = &mut input["arg"];
            let values: Vec<&mut Value> = if arg.get("as_int").is_some() {
                vec![&mut arg["as_int"]]
            } else if arg.get("as_ints").is_some() {
                arg["as_ints"].as_array_mut().unwrap().iter_mut().collect()
            } else {
                Vec::new()
            };
            for value in values {
                visit(numbers.len(), value);
                numbers.push(numbers.len());
            }
        }
    }
    numbers
}

#[test]
fn truncated_archives_never_panic() {
    let bytes = archive("classifier");
    for length in (0..bytes.len()).step_by(13) {
        assert!(partita_torch::import_bytes("m.pt2", bytes[..length].to_vec()).is_err(), "{length}");
    }
}

/// A flipped bit is found by the checksum of its entry, or is in a part that is not read.
#[test]
fn flipped_bits_never_panic() {
    let bytes = archive("classifier");
    for at in (0..bytes.len()).step_by(11) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1 << (at % 8);
        let _ = partita_torch::import_bytes("m.pt2", bytes);
    }
}

/// Truncated and changed JSON in a valid archive, which checksums do not protect.
#[test]
fn damaged_graphs_never_panic() {
    let bytes = archive("classifier");
    for step in 1..60 {
        let damaged = changed(&bytes, |name, mut content| {
            if name == "models/model.json" {
                let at = content.len() * step / 60;
                match step % 3 {
                    0 => content.truncate(at),
                    1 => content[at] = b'9',
                    _ => content[at] = b'x',
                }
            }
            Some(content)
        });
        if let Ok(imported) = partita_torch::import_bytes("m.pt2", damaged) {
            partita_ir::verify::verify(&imported.program).map_err(|e| format!("{e:?}")).unwrap();
        }
    }
}

/// Entries whose names are links or paths out of the archive are not read, and do not matter.
#[test]
fn names_of_entries_are_no_paths() {
    let mut zip = ZipWriter::new_append(std::io::Cursor::new(archive("classifier"))).unwrap();
    zip.add_symlink("m/data/weights/link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    zip.start_file("../../outside", SimpleFileOptions::default()).unwrap();
    zip.write_all(b"x").unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    assert!(partita_torch::import_bytes("m.pt2", bytes).is_ok());
}

/// An operand under another name, or of another kind, is an error of the node.
#[test]
fn operands_of_other_kinds_are_refused() {
    let bytes = with_graph(&archive("classifier"), |graph| {
        *operand(node(graph, "linear.default"), "weight") = json!({"as_int": 3});
    });
    let (code, title) = error(bytes);
    assert_eq!(code, Code::F002);
    assert!(title.contains("needs a tensor for `weight`"), "{title}");
}
