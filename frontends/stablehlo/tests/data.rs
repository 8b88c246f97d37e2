//! Import of all modules of the test data.

use crate::common;
use partita_ir::arena::Id;
use partita_ir::program::Form;

#[test]
fn every_module_imports() {
    for file in common::data_files() {
        let (name, text) = common::read(&file);
        let program = common::program(&name, &text);
        assert_eq!(program.form, Form::Traced);
        let verified = partita_ir::verify::verify(&program);
        assert!(verified.is_ok(), "{name}: {:?}", verified.err());
        let main = &program.funcs[program.entry()];
        // The signature is on one line, and each argument begins with its name.
        let signature = text.lines().find(|l| l.contains("func.func public")).unwrap();
        let (args, results) = signature.split_once(") -> (").unwrap();
        assert_eq!(main.inputs.len(), args.matches("%arg").count(), "{name}");
        assert_eq!(main.outputs.len(), results.matches("jax.result_info").count(), "{name}");
        for (i, &input) in main.inputs.iter().enumerate() {
            assert_eq!(program.values[input].name, format!("arg{i}"));
            assert_eq!(program.values[input].layout.is_some(), !name.contains("plain"), "{name}: arg{i}");
        }
        // Calls are inlined, and each value is defined before its uses.
        let mut defined = vec![false; program.values.len()];
        main.inputs.iter().for_each(|v| defined[v.index()] = true);
        for &op in main.ops() {
            let op = &program.ops[op];
            assert!(op.args.iter().all(|v| defined[v.index()]), "{name}: line {}", op.origin.line);
            assert!(op.origin.line > 0);
            op.outs.iter().for_each(|v| defined[v.index()] = true);
        }
        assert!(main.outputs.iter().all(|o| defined[o.value.index()]));
    }
}

#[test]
fn shardy_and_gspmd_layouts_are_equal() {
    for file in common::data_files() {
        let (name, _) = common::read(&file);
        if !name.contains("mhlo.d2m4") {
            continue;
        }
        let read = |file: &std::path::Path| {
            let (name, text) = common::read(file);
            let program = common::program(&name, &text);
            let main = &program.funcs[program.entry()];
            let values = main.inputs.iter().copied().chain(main.outputs.iter().map(|o| o.value));
            let place = |v| program.values[v].layout.as_deref().map(|l: &partita_ir::layout::Layout| l.dims.clone());
            values.map(place).collect::<Vec<_>>()
        };
        let shardy = file.with_file_name(name.replace("mhlo", "sdy"));
        assert_eq!(read(&file), read(&shardy), "{name}");
    }
}
