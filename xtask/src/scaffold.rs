//! Scaffolding of an operation or a pass: creates its file, its list entries, and golden tests to bless.
//!
//! Missing code is `todo!()`, which clippy rejects, so that incomplete code is not merged.

use std::fs;
use std::path::Path;

const OP_TEMPLATE: &str = r#"//! `{name}`: state in one sentence what it computes.

use crate::dtype::Type;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::{EvalCx, Program};
use crate::rule::Rule;
use crate::tensor::Tensor;

op! {
    /// State in one sentence what it computes, and what its operands are.
    {Type} = "{name}" {
        // words that introduce an attribute, and its type:
        // "dim" dim: usize,
    }
}

impl Operation for {Type} {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        todo!("the shape rule: do not trust `args` and `declared`")
    }

    fn class(&self) -> Class<'_> {
        todo!("the class of computation, used by analyses")
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        todo!("the factors of its dimensions; `Rule::replicated` when nothing can be sharded")
    }

    fn flops(&self, args: &[&Type], outs: &[&Type]) -> u64 {
        todo!("arithmetic operations; `check::elements(outs)` for one per element")
    }

    fn to_local(&self, global_args: &[&Type], local_args: &[&Type], local_outs: &[&Type]) -> Self {
        todo!("the op on shards; `self.clone()` when no attribute mentions a size")
    }

    fn interfaces(&self) -> Interfaces<'_> {
        todo!("`Interfaces::NONE` unless the op is windowed, indexed, positional or a composite")
    }

    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        todo!("the reference evaluation")
    }
}
"#;

const OP_GOLDEN: &str = "test run
// One case with sharded dimensions, and one with uneven shards.
form traced
mesh @m = [data=2]
input %x : f32[4@data]
  %y = {name} %x : f32[4]
";

const PASS_TEMPLATE: &str = r#"//! `{name}` (form -> form): state in one sentence what it does.
//!
//! State what the pass leaves unchanged.
//!
//! Before:
//!
//! ```text
//! %y = ...
//! ```
//!
//! After:
//!
//! ```text
//! %y = ...
//! ```

use crate::driver::{Findings, PassInfo, Input, Pass};
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program};

/// The pass.
pub struct {Type};

impl Pass for {Type} {
    fn info(&self) -> PassInfo {
        PassInfo { name: "{name}", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        todo!("the transformation described above")
    }
}
"#;

/// Name and text of the goldens that every pass has.
const PASS_GOLDENS: [(&str, &str); 3] = [
    (
        "example",
        "test {name}
// The example of the pass's documentation.
form traced
",
    ),
    (
        "shape",
        "test {name}
// A size that does not divide, dimensions of one and of zero elements, a scalar, five dimensions, the body of a loop.
form traced
",
    ),
    (
        "refusal",
        "test {name}
// A program that the pass rejects with a diagnostic or leaves unchanged.
form traced
",
    ),
];

/// Creates an operation.
pub fn new_op(root: &Path, name: &str) -> Result<(), String> {
    let ty = to_camel_case(name, '_')?;
    create_file(root, &format!("ir/src/program/ops/{name}.rs"), OP_TEMPLATE, name, &ty)?;
    create_file(root, &format!("tests/filetests/run/{name}.pir"), OP_GOLDEN, name, &ty)?;
    insert_line(root, "ir/src/program/ops.rs", &format!("mod {name};"), |l| l.starts_with("mod "))?;
    insert_line(root, "ir/src/program/ops.rs", &format!("pub use {name}::{ty};"), |l| l.starts_with("pub use "))?;
    insert_line(root, "ir/src/program/op.rs", &format!("    {ty},"), |l| l.trim() == "// composites")?;
    println!(
        "Next: implement its methods, handle it where the compiler reports it, and generate it in tests/src/generate/."
    );
    println!("Then: `cargo xtask bless {name}`.");
    Ok(())
}

/// Creates a pass in a folder under `passes/src`.
pub fn new_pass(root: &Path, name: &str, group: &str) -> Result<(), String> {
    let ty = to_camel_case(name, '-')?;
    let module = name.replace('-', "_");
    create_file(root, &format!("passes/src/{group}/{module}.rs"), PASS_TEMPLATE, name, &ty)?;
    for (kind, golden) in PASS_GOLDENS {
        create_file(root, &format!("tests/filetests/{name}/{kind}.pir"), golden, name, &ty)?;
    }
    insert_line(root, &format!("passes/src/{group}.rs"), &format!("pub mod {module};"), |l| l.starts_with("pub mod "))?;
    println!("Next: implement it, add it to passes/src/pipelines.rs, then `cargo xtask bless {name}`.");
    Ok(())
}

/// Converts `cumulative_sum` to `CumulativeSum`.
fn to_camel_case(name: &str, separator: char) -> Result<String, String> {
    let good =
        |w: &str| w.starts_with(|c: char| c.is_ascii_lowercase()) && w.bytes().all(|b| b.is_ascii_alphanumeric());
    if !name.split(separator).all(good) {
        return Err(format!("`{name}` is not a name: lower case words, joined by `{separator}`"));
    }
    let word = |w: &str| w[..1].to_ascii_uppercase() + &w[1..];
    Ok(name.split(separator).map(word).collect())
}

/// Writes a new file from a template.
fn create_file(root: &Path, file: &str, template: &str, name: &str, ty: &str) -> Result<(), String> {
    let path = root.join(file);
    if path.exists() {
        return Err(format!("{file} exists already"));
    }
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    fs::write(&path, template.replace("{name}", name).replace("{Type}", ty)).map_err(|e| format!("{file}: {e}"))?;
    println!("wrote {file}");
    Ok(())
}

/// Inserts a line into a sorted list: before the first list line that sorts after it, else after the last one. If only
/// one line matches, it marks the end of the list and the new line precedes it.
fn insert_line(root: &Path, file: &str, line: &str, in_list: impl Fn(&str) -> bool) -> Result<(), String> {
    let path = root.join(file);
    let text = fs::read_to_string(&path).map_err(|e| format!("{file}: {e}"))?;
    let mut lines: Vec<&str> = text.lines().collect();
    let list: Vec<usize> = (0..lines.len()).filter(|&i| in_list(lines[i])).collect();
    let at = match list[..] {
        [] => return Err(format!("{file} has no list for `{line}`")),
        [end] => end,
        [.., last] => list.iter().copied().find(|&i| lines[i] > line).unwrap_or(last + 1),
    };
    lines.insert(at, line);
    fs::write(&path, lines.join("\n") + "\n").map_err(|e| format!("{file}: {e}"))?;
    println!("{file}:{}: {}", at + 1, line.trim());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{new_op, new_pass, to_camel_case};
    use std::fs;

    #[test]
    fn names_become_types() {
        assert_eq!(to_camel_case("cumulative_sum", '_').as_deref(), Ok("CumulativeSum"));
        assert!(to_camel_case("Bad", '_').is_err());
        assert!(to_camel_case("", '_').is_err());
    }

    #[test]
    fn files_and_entries_are_created() {
        let root = std::env::temp_dir().join(format!("partita-scaffold-{}", std::process::id()));
        fs::create_dir_all(root.join("ir/src/program/ops")).unwrap();
        fs::create_dir_all(root.join("passes/src/optimising")).unwrap();
        fs::write(root.join("ir/src/program/ops.rs"), "mod add;\nmod sub;\n\npub use add::Add;\npub use sub::Sub;\n")
            .unwrap();
        fs::write(root.join("ir/src/program/op.rs"), "list! {\n    Add, Sub,\n    // composites\n    Softmax,\n}\n")
            .unwrap();
        fs::write(root.join("passes/src/optimising.rs"), "pub mod dce;\n").unwrap();
        new_op(&root, "dot_sum").unwrap();
        new_pass(&root, "fuse-sums", "optimising").unwrap();
        let ops = fs::read_to_string(root.join("ir/src/program/ops.rs")).unwrap();
        assert_eq!(
            ops,
            "mod add;\nmod dot_sum;\nmod sub;\n\npub use add::Add;\npub use dot_sum::DotSum;\npub use sub::Sub;\n"
        );
        let kinds = fs::read_to_string(root.join("ir/src/program/op.rs")).unwrap();
        assert_eq!(kinds, "list! {\n    Add, Sub,\n    DotSum,\n    // composites\n    Softmax,\n}\n");
        assert!(
            fs::read_to_string(root.join("ir/src/program/ops/dot_sum.rs")).unwrap().contains("DotSum = \"dot_sum\"")
        );
        for kind in ["example", "shape", "refusal"] {
            let golden = fs::read_to_string(root.join(format!("tests/filetests/fuse-sums/{kind}.pir"))).unwrap();
            assert!(golden.starts_with("test fuse-sums\n"), "{golden}");
        }
        assert!(new_op(&root, "dot_sum").is_err());
        fs::remove_dir_all(&root).unwrap();
    }
}
