//! Rendering of diagnostics without colours.

use expect_test::{Expect, expect};
use partita_cli::render::render;
use partita_ir::diag::{Code, Diagnostic, Source, Span};

fn check(diagnostic: Diagnostic, expected: Expect) {
    expected.assert_eq(&(render(&[diagnostic], false) + "\n"));
}

/// Returns the span of the `n`-th occurrence of `word`.
fn find(source: &std::sync::Arc<Source>, word: &str, n: usize) -> Span {
    let at = source.text.match_indices(word).nth(n).map_or(0, |(at, _)| at);
    Span::new(source, at..at + word.len())
}

#[test]
fn misspelt_axis_has_a_suggestion() {
    let mesh = Source::new("--mesh", "data=2,model=4");
    let rules = Source::new("--rules", "batch:data; hidden:modle");
    let span = find(&rules, "modle", 0);
    let diagnostic = Diagnostic::new(Code::L001, "mesh has no axis `modle`")
        .label(span.clone(), "not an axis of this mesh")
        .context(Span::new(&mesh, 0..mesh.text.len()), "its axes are `data` (2) and `model` (4)")
        .fix("there is an axis with a similar name", span, "model");
    check(
        diagnostic,
        expect![[r#"
        error[L001]: mesh has no axis `modle`
         --> --rules:1:20
          |
        1 | batch:data; hidden:modle
          |                    ^^^^^ not an axis of this mesh
          |
         ::: --mesh:1:1
          |
        1 | data=2,model=4
          | -------------- its axes are `data` (2) and `model` (4)
          |
        help: there is an axis with a similar name
          |
        1 - batch:data; hidden:modle
        1 + batch:data; hidden:model
          |
    "#]],
    );
}

#[test]
fn axis_used_twice_shows_both_locations() {
    let shard = Source::new("plan.toml", "mesh = \"data=2\"\n\n[shard]\n\"attn.qkv.weight\" = \"model, model\"\n");
    let diagnostic = Diagnostic::new(Code::L002, "axis `model` splits two dimensions of `attn.qkv.weight`")
        .context(find(&shard, "model", 0), "first here, dimension 0 (4096)")
        .label(find(&shard, "model", 1), "and again here, dimension 1 (12288)")
        .note("a device has one position on `model`, so it can store only one shard along it")
        .help("for a column split write `_, model`; for a row split write `model, _`");
    check(
        diagnostic,
        expect![[r#"
        error[L002]: axis `model` splits two dimensions of `attn.qkv.weight`
         --> plan.toml:4:29
          |
        4 | "attn.qkv.weight" = "model, model"
          |                      -----  ^^^^^ and again here, dimension 1 (12288)
          |                      |
          |                      first here, dimension 0 (4096)
          |
          = note: a device has one position on `model`, so it can store only one shard along it
          = help: for a column split write `_, model`; for a row split write `model, _`
    "#]],
    );
}

#[test]
fn two_sources_and_distant_lines() {
    let model = Source::new(
        "mlp.pir",
        "form traced\n".to_string() + &"// filler\n".repeat(40) + "  %a = add %h, %b1 : f32[32, 512]\n",
    );
    let shard = Source::new("--shard", "up.bias=data");
    let diagnostic = Diagnostic::new(Code::L004, "two annotations ask for different layouts")
        .label(find(&shard, "data", 0), "makes `%b1` f32[512@data]")
        .context(find(&model, "form traced", 0), "the program")
        .context(find(&model, "add %h, %b1", 0), "they meet here")
        .note("weights      14.0 GiB\ngradients    14.0 GiB");
    check(
        diagnostic,
        expect![[r#"
        error[L004]: two annotations ask for different layouts
          --> --shard:1:9
           |
         1 | up.bias=data
           |         ^^^^ makes `%b1` f32[512@data]
           |
          ::: mlp.pir:1:1
           |
         1 | form traced
           | ----------- the program
           |
          ::: mlp.pir:42:8
           |
        42 |   %a = add %h, %b1 : f32[32, 512]
           |        ----------- they meet here
           |
           = note: weights      14.0 GiB
                   gradients    14.0 GiB
    "#]],
    );
}

#[test]
fn long_line_is_cut_around_the_label() {
    let text = format!("{} oops {}", "x".repeat(5_000_000), "y".repeat(5_000_000));
    let source = Source::new("long.pir", text);
    let diagnostic = Diagnostic::new(Code::T001, "expected an operation")
        .label(find(&source, "oops", 0), "this is none")
        .fix("write an operation", find(&source, "oops", 0), "add");
    check(
        diagnostic,
        expect![[r#"
            error[T001]: expected an operation
              |
            1 | ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx oops yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy ...
              |                                                     ^^^^ this is none
             ::: long.pir:1:5000002
              |
            help: write an operation
              |
            1 - ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx oops yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy ...
            1 + ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx add yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy ...
              |
        "#]],
    );
}

#[test]
fn spans_outside_of_the_text_are_clamped() {
    let source = Source::new("short.pir", "form é");
    let diagnostic = Diagnostic::new(Code::T001, "the file ends too early").label(Span::new(&source, 6..99), "here");
    check(
        diagnostic,
        expect![[r#"
        error[T001]: the file ends too early
         --> short.pir:1:6
          |
        1 | form é
          |      ^ here
    "#]],
    );
    let empty = Source::new("empty.pir", "");
    let diagnostic = Diagnostic::new(Code::T001, "the file is empty").label(Span::new(&empty, 5..7), "");
    check(
        diagnostic,
        expect![[r#"
        error[T001]: the file is empty
         --> empty.pir:1:1
          |
        1 |
          | ^
    "#]],
    );
}
