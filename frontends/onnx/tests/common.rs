//! Builder and reference execution of small ONNX models.

use partita_ir::dtype::{DType, Type};
use partita_ir::interp;
use partita_ir::tensor::Tensor;
use partita_onnx::proto::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};
use partita_onnx::{Imported, import_model};

/// Value of `TensorProto.FLOAT`.
pub const FLOAT: i32 = 1;
/// Value of `TensorProto.INT64`.
pub const INT64: i32 = 7;
/// Value of `TensorProto.BOOL`.
pub const BOOL: i32 = 9;

/// A model under construction. Its results are those of the last node.
pub struct Model(pub ModelProto);

/// Creates a model of the given opset without nodes.
pub fn model(opset: i64) -> Model {
    Model(ModelProto {
        ir_version: 8,
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: opset }],
        graph: Some(GraphProto { name: "g".into(), ..GraphProto::default() }),
        functions: Vec::new(),
    })
}

impl Model {
    pub fn graph(&mut self) -> &mut GraphProto {
        self.0.graph.as_mut().expect("there is a graph")
    }

    /// Adds an input. Dimensions are sizes or names; `?` is an unnamed dimension.
    pub fn input(mut self, name: &str, elem_type: i32, dims: &[&str]) -> Model {
        let dim = |text: &&str| match text.parse() {
            Ok(n) => DimensionProto { dim_value: Some(n), dim_param: None },
            Err(_) => DimensionProto { dim_value: None, dim_param: Some((*text).into()).filter(|t: &String| t != "?") },
        };
        let shape = Some(TensorShapeProto { dim: dims.iter().map(dim).collect() });
        let tensor_type = Some(TensorTypeProto { elem_type, shape });
        let input = ValueInfoProto {
            name: name.into(),
            r#type: Some(TypeProto { tensor_type, ..Default::default() }),
            ..Default::default()
        };
        self.graph().input.push(input);
        self
    }

    pub fn weight(mut self, name: &str, dims: &[i64], items: &[f32]) -> Model {
        self.graph().initializer.push(floats(name, dims, items));
        self
    }

    pub fn ints(mut self, name: &str, dims: &[i64], items: &[i64]) -> Model {
        let tensor = TensorProto {
            name: name.into(),
            data_type: INT64,
            dims: dims.to_vec(),
            int64_data: items.to_vec(),
            ..Default::default()
        };
        self.graph().initializer.push(tensor);
        self
    }

    /// Adds a node `OP in, in -> out, out`.
    pub fn node(mut self, text: &str, attribute: Vec<AttributeProto>) -> Model {
        let (op, rest) = text.split_once(' ').expect("an operation");
        let (ins, outs) = rest.split_once("->").expect("results");
        let names = |list: &str| list.split(',').map(|n| n.trim().to_owned()).collect::<Vec<_>>();
        let input = if ins.trim().is_empty() { vec![] } else { names(ins) };
        let same = self.graph().node.iter().filter(|node| node.op_type == op).count();
        let name = if same == 0 { format!("/net/{op}") } else { format!("/net/{op}_{same}") };
        let node = NodeProto { op_type: op.into(), name, input, output: names(outs), attribute, ..Default::default() };
        self.graph().output =
            node.output.iter().map(|n| ValueInfoProto { name: n.clone(), ..Default::default() }).collect();
        self.graph().node.push(node);
        self
    }

    /// Sets the results of the graph.
    pub fn results(mut self, names: &[&str]) -> Model {
        let result = |name: &&str| ValueInfoProto { name: (*name).into(), ..Default::default() };
        self.graph().output = names.iter().map(result).collect();
        self
    }

    pub fn import(&self, name: &str) -> Result<Imported, String> {
        import_model(&self.0, name, &|_| None).map_err(|errors| errors.iter().map(|e| format!("{e}\n")).collect())
    }

    /// Returns the errors of importing the model.
    pub fn import_errors(&self) -> String {
        match self.import("m.onnx") {
            Ok(imported) => panic!("imported:\n{}", partita_ir::text::print(&imported.program)),
            Err(errors) => errors,
        }
    }

    /// Returns the text of the imported program.
    pub fn text(&self) -> String {
        let imported = self.import("m.onnx").unwrap_or_else(|e| panic!("{e}"));
        partita_ir::text::print(&imported.program)
    }

    /// Runs the model on the given inputs and returns the shape and elements of each result.
    pub fn run(&self, inputs: &[Tensor]) -> Vec<(Vec<usize>, Vec<f64>)> {
        let imported = self.import("m.onnx").unwrap_or_else(|e| panic!("{e}"));
        let outs = run(&imported, inputs);
        outs.iter().map(|t| (t.ty.shape.to_vec(), t.scalars().map(|x| x.to_f64()).collect())).collect()
    }
}

/// Runs an imported model with its own weights.
pub fn run(imported: &Imported, inputs: &[Tensor]) -> Vec<Tensor> {
    let program = &imported.program;
    partita_ir::verify::verify(program).map_err(|e| format!("{e:?}")).expect("the program is valid");
    let mut given = inputs.iter();
    let all = program.inputs().iter().map(|&v| match program.param_of(v) {
        Some(_) => imported.weights[program.path_of(v)].clone(),
        None => given.next().expect("an input for each").clone(),
    });
    interp::run(program, all.collect()).expect("it runs")
}

pub fn floats(name: &str, dims: &[i64], items: &[f32]) -> TensorProto {
    TensorProto {
        name: name.into(),
        data_type: FLOAT,
        dims: dims.to_vec(),
        float_data: items.to_vec(),
        ..Default::default()
    }
}

pub fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto { name: name.into(), i: Some(i), r#type: 2, ..Default::default() }
}

pub fn float(name: &str, f: f32) -> AttributeProto {
    AttributeProto { name: name.into(), f: Some(f), r#type: 1, ..Default::default() }
}

pub fn list(name: &str, ints: &[i64]) -> AttributeProto {
    AttributeProto { name: name.into(), ints: ints.to_vec(), r#type: 7, ..Default::default() }
}

pub fn string(name: &str, text: &'static str) -> AttributeProto {
    AttributeProto { name: name.into(), s: Some(text.as_bytes().into()), r#type: 3, ..Default::default() }
}

/// Creates an attribute with the graph of a model.
pub fn graph(name: &str, model: Model) -> AttributeProto {
    AttributeProto { name: name.into(), g: model.0.graph, r#type: 5, ..Default::default() }
}

pub fn tensor(name: &str, t: TensorProto) -> AttributeProto {
    AttributeProto { name: name.into(), t: Some(t), r#type: 4, ..Default::default() }
}

/// Creates a tensor of floats.
pub fn float_tensor<const N: usize>(shape: [usize; N], items: &[f64]) -> Tensor {
    Tensor::from_floats(Type::new(DType::F32, shape), items.to_vec())
}

/// Creates a tensor of integers.
pub fn int_tensor<const N: usize>(shape: [usize; N], items: &[i64]) -> Tensor {
    Tensor::from_ints(Type::new(DType::I64, shape), items.to_vec())
}
