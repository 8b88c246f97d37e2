//! The verifier: each invariant has a program that violates it, built in memory if program text cannot express it.

use partita_ir::arena::{FuncId, ValueId};
use partita_ir::diag::{Code, Source};
use partita_ir::graph::OpGraph;
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::program::{Form, Param, ParamKind, Phase, Program};
use partita_ir::text::parse;
use partita_ir::verify::{Explicit, Traced, verify};
use petgraph::algo::{dominators, tarjan_scc, toposort};

fn program() -> Program {
    let text = r#"form traced
        mesh @m = [data=2, model=4]
        func @step(%i: f32[4]) {
          %n = neg %i : f32[4]
          return %n
        }
        param %w "w" : f32[4]
        param %v "v" state of "w" starts 0.0 : f32[4]
        input %x : f32[4]
          %a = add %w, %x : f32[4]
          %b = loop 3 of @step %a : f32[4]
          %c = mul %a, %b : f32[4]
        output %c -> "w""#;
    parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]))
}

/// Returns the first diagnostic of the program after a change.
fn diagnostic_after(change: impl FnOnce(&mut Program)) -> (Code, String) {
    let mut program = program();
    change(&mut program);
    let errors = verify(&program).err().unwrap_or_else(|| panic!("not noticed"));
    (errors[0].code, errors[0].title.clone())
}

fn value(program: &Program, name: &str) -> ValueId {
    program.values.iter().find(|(_, v)| v.name == name).map(|(id, _)| id).unwrap()
}

fn layout(program: &mut Program, name: &str, change: impl FnOnce(&mut Layout)) {
    let id = value(program, name);
    let mesh = program.meshes.ids().next().unwrap();
    let mut layout = Layout::replicated(mesh, program.ty(id).shape.rank());
    change(&mut layout);
    program.values[id].layout = Some(layout.into());
}

#[test]
fn valid_programs_verify() {
    let program = program();
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0]));
    assert!(proof.into_form::<Traced>().is_ok());
    assert_eq!(
        proof.into_form::<Explicit>().unwrap_err().title,
        "the program must be in form `explicit`, but is in form `traced`"
    );
}

#[test]
fn the_forward_pass_reads_no_gradients() {
    let noticed = diagnostic_after(|p| {
        let a = p.funcs[p.entry()].ops()[0];
        p.ops[a].phase = Phase::BackwardInput;
    });
    let expected = "`mul %c`: the forward pass reads `%a`, a result of phase `backward_input`";
    assert_eq!(noticed, (Code::V002, expected.into()));
}

#[test]
fn ids_are_in_range() {
    let noticed = diagnostic_after(|p| p.outputs_mut()[0].value = ValueId(99));
    assert_eq!(noticed, (Code::V002, "an id is out of range".into()));
}

#[test]
fn recursive_functions_are_rejected() {
    let noticed = diagnostic_after(|p| {
        let step = p.ops.values().find_map(|op| op.kind.func()).unwrap();
        let call = p.funcs[p.entry()].ops()[1];
        p.funcs[step].ops_mut().push(call);
    });
    assert_eq!(noticed, (Code::V002, "function `@step` calls itself".into()));
}

#[test]
fn names_are_unique() {
    let noticed = diagnostic_after(|p| {
        let c = value(p, "c");
        p.values[c].name = "a".into();
    });
    assert_eq!(noticed, (Code::V002, "`mul %a`: `%a` is the name of two values".into()));
    let noticed = diagnostic_after(|p| {
        let c = value(p, "c");
        p.values[c].name = "c\"d".into();
    });
    assert_eq!(noticed.1, "`mul %c\"d`: `%c\"d` is not a valid name");
    let noticed = diagnostic_after(|p| p.funcs[FuncId(0)].name = "main".into());
    assert_eq!(noticed.1, "`@main` cannot be the name of this function");
}

#[test]
fn definitions_come_before_uses() {
    let noticed = diagnostic_after(|p| p.entry_ops_mut().reverse());
    assert_eq!(noticed.1, "`mul %c`: `%a` is used before its definition, or has none");
    let noticed = diagnostic_after(|p| {
        let (a, c) = (p.funcs[p.entry()].ops()[0], value(p, "c"));
        p.ops[a].args[0] = c;
    });
    assert_eq!(
        noticed.1,
        "`add %a`: `%c` is used before its definition, and operations depend on each other in a cycle"
    );
    let noticed = diagnostic_after(|p| {
        let (c, n) = (p.funcs[p.entry()].ops()[2], value(p, "n"));
        p.ops[c].args[0] = n;
    });
    assert_eq!(noticed.1, "`mul %c`: `%n` belongs to function `@step`");
    let noticed = diagnostic_after(|p| {
        let first = p.funcs[p.entry()].ops()[0];
        p.entry_ops_mut().push(first);
    });
    assert_eq!(noticed.1, "`add %a`: `%a` is defined twice");
}

#[test]
fn diagnostics_contain_the_source_line() {
    let mut program = program();
    program.entry_ops_mut().reverse();
    let errors = verify(&program).unwrap_err();
    assert_eq!(errors[0].line.as_deref(), Some(&("test.pir".to_string(), 12)));
}

#[test]
fn invalid_layouts_are_rejected() {
    let (code, title) = diagnostic_after(|p| layout(p, "c", |l| l.dims.push(DimLayout::default())));
    assert_eq!((code, title.as_str()), (Code::L009, "`mul %c`: `%c` has 1 dimensions, but its layout has 2"));
    let (code, _) = diagnostic_after(|p| {
        let axis = partita_ir::mesh::AxisRef::full(p.mesh().unwrap().1, partita_ir::arena::AxisId(1));
        layout(p, "c", |l| {
            l.dims[0].axes.push(axis);
            l.replicated.push(axis);
        });
    });
    assert_eq!(code, Code::L002);
    let (_, title) = diagnostic_after(|p| {
        let axis = partita_ir::mesh::AxisRef { axis: partita_ir::arena::AxisId(1), pre: 1, size: 3 };
        layout(p, "c", |l| l.dims[0].axes.push(axis));
    });
    assert_eq!(title, "`mul %c`: `%c` uses an axis that mesh `@m` does not have");
}

#[test]
fn parameters_are_inputs() {
    let noticed = diagnostic_after(|p| {
        p.inputs_mut().swap(0, 1);
    });
    assert_eq!(noticed.1, "parameter `v` is not an input, or not in the order of the inputs");
    let noticed = diagnostic_after(|p| {
        let value = value(p, "x");
        p.params.push(Param { path: "w".into(), kind: ParamKind::State, value, parent: None, init: None });
    });
    assert_eq!(noticed.1, "two parameters have the path `w`");
    let noticed = diagnostic_after(|p| p.params.values_mut().for_each(|param| param.kind = ParamKind::Trainable));
    assert_eq!(noticed.1, "parameter `v` cannot be state of `w`");
}

#[test]
fn outputs_replace_one_parameter_each() {
    let noticed = diagnostic_after(|p| {
        let mut second = p.outputs()[0].clone();
        second.name = "again".into();
        p.outputs_mut().push(second);
    });
    assert_eq!(noticed.1, "output `again` cannot replace input `w`");
}

#[test]
fn planned_programs_have_closed_layouts() {
    let noticed = diagnostic_after(|p| p.form = Form::Planned);
    assert_eq!(noticed.1, "`%i` has no layout");
    let noticed = diagnostic_after(|p| {
        let mesh = p.meshes.ids().next().unwrap();
        p.values.values_mut().for_each(|v| v.layout = Some(Layout::open(mesh, 1).into()));
        p.form = Form::Planned;
    });
    assert_eq!(noticed.1, "`%i` has an open layout: dimension 0");
}

#[test]
fn petgraph_walks_programs() {
    let program = program();
    let graph = OpGraph::main(&program);
    let body = program.funcs[program.entry()].ops();
    assert_eq!(toposort(&graph, None).unwrap(), *body);
    assert_eq!(tarjan_scc(&graph).len(), 3);
    let above = dominators::simple_fast(&graph, body[0]);
    assert_eq!(above.immediate_dominator(body[2]), Some(body[0]));
    let expected = r#"digraph {
    0 [ label = "add %a"]
    1 [ label = "loop %b"]
    2 [ label = "mul %c"]
    0 -> 1 [ label = "f32[4]"]
    0 -> 2 [ label = "f32[4]"]
    1 -> 2 [ label = "f32[4]"]
}
"#;
    assert_eq!(graph.dot(), expected);
}

#[test]
#[ignore = "a measurement, for release builds"]
fn verifying_is_fast() {
    use std::fmt::Write;
    let mut text = String::from("form explicit\nmesh @m = [data=2, model=4]\ninput %v0 : f32[32@data, 512@model]\n");
    for i in 0..50_000 {
        let _ = writeln!(text, "  %v{} = add %v{i}, %v{} : f32[32@data, 512@model]", i + 1, i / 2);
    }
    let program = parse(&Source::new("test.pir", text)).unwrap();
    for _ in 0..3 {
        let start = std::time::Instant::now();
        let found = verify(&program).map(|_| ()).map_err(|e| e[0].to_string());
        println!("verified in {:?}: {found:?}", start.elapsed());
    }
}
