//! Detection of names of CUDA C++ and PTX instructions that the emulator does not support.

use super::translation::SHIM;
use partita_ir::diag::{Code, Diagnostic};
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Names that C++ provides: keywords and types that may precede a parenthesis, and functions of `math.h`.
const CPP: &str = "if for while switch return sizeof alignas alignof decltype static_assert catch
    bool char short int long unsigned signed float double void __restrict__
    fma isnan isinf isfinite signbit fabs abs fmod fmin fmax floor ceil round rint trunc sqrt cbrt pow exp exp2 expm1 \
    log log2 log10 log1p
    sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma hypot copysign
    fmaf fabsf fmodf fminf fmaxf floorf ceilf roundf rintf truncf sqrtf cbrtf powf expf exp2f expm1f logf log2f log10f \
    log1pf
    sinf cosf tanf asinf acosf atanf atan2f sinhf coshf tanhf asinhf acoshf atanhf erff erfcf";

/// Keywords after which a name with a parenthesis is a call, not a declaration.
const EXPRESSION_KEYWORDS: [&str; 5] = ["return", "else", "do", "case", "throw"];

/// A word with the text before and after it.
struct Word<'t> {
    text: &'t str,
    before: &'t str,
    after: &'t str,
}

/// Returns the names and keywords of C++ code.
fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = at + text[at..].find(is_part)?;
            let end = begin + text[begin..].find(|c| !is_part(c)).unwrap_or(text.len() - begin);
            at = end;
            if !text[begin..].starts_with(|c: char| c.is_ascii_digit()) {
                return Some(Word {
                    text: &text[begin..end],
                    before: text[..begin].trim_end(),
                    after: text[end..].trim_start(),
                });
            }
        }
    })
}

/// Returns the text without `//` comments.
fn without_comments(text: &str) -> String {
    let line = |line: &str| line.split_once("//").map_or(line, |(code, _)| code).to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Names that the headers or C++ define.
static KNOWN_NAMES: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let headers = without_comments(&SHIM.join("\n"));
    let known = words(&headers).map(|word| word.text).chain(CPP.split_whitespace());
    known.map(str::to_owned).collect()
});

impl Word<'_> {
    /// Returns true if the word is followed by a parenthesis: a call or a function declaration.
    fn has_parenthesis(&self) -> bool {
        self.after.starts_with('(')
    }

    /// Returns the word immediately before this one.
    fn previous_word(&self) -> &str {
        self.before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
    }

    /// Returns true if the word is declared here: after a type, as a type, or as a template parameter.
    fn is_declared(&self) -> bool {
        let last = self.previous_word();
        // `struct alignas(16) Name {`
        let is_aligned = self.after.starts_with('{') && self.before.ends_with(')');
        is_aligned
            || ["struct", "class", "typename", "enum", "union"].contains(&last)
            || self.has_parenthesis() && !last.is_empty() && !EXPRESSION_KEYWORDS.contains(&last)
            || self.after.starts_with(';')
                && self.before.rsplit(['\n', ';']).next().unwrap_or_default().starts_with("typedef")
    }

    /// Returns true if the word must be defined by C++ or the headers, unless the kernel declares it.
    fn needs_definition(&self) -> bool {
        let is_qualified = self.after.starts_with("::") || self.before.ends_with("::");
        let is_member = self.before.ends_with('.') || self.before.ends_with("->");
        let is_reserved = self.text.starts_with("__") || self.text.starts_with("atomic") || self.text == "volatile";
        is_reserved || is_qualified || self.has_parenthesis() && !is_member
    }
}

/// Returns the first PTX instruction in a text.
fn instruction(text: &str) -> Option<&str> {
    let asm = words(text).find(|word| ["asm", "__asm__"].contains(&word.text))?;
    let (_, ptx) = asm.after.split_once('"')?;
    ptx.trim_start_matches(['{', ' ', '\t', '\n']).split([' ', ';', '"', '\\']).next()
}

/// Rejects a kernel that uses an unsupported name or instruction.
///
/// # Errors
/// `R004` with the name.
pub(super) fn check(kernel: &str, text: &str) -> Result<(), Diagnostic> {
    let text = without_comments(text);
    let refused = |what: &str| {
        Err(Diagnostic::new(Code::R004, format!("kernel `{kernel}` uses `{what}`, which is not emulated")))
    };
    if let Some(instruction) = instruction(&text) {
        return refused(instruction);
    }
    let declared: FxHashSet<&str> = words(&text).filter(Word::is_declared).map(|word| word.text).collect();
    let is_known = |word: &str| word == kernel || declared.contains(word) || KNOWN_NAMES.contains(word);
    match words(&text).find(|word| word.needs_definition() && !is_known(word.text)) {
        Some(word) => refused(word.text),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    const KERNEL: &str = "typedef unsigned int uint32_t;
        struct alignas(4) __pair_2 { short i_0; short i_1; };
        struct Pair { float a; float b; };
        __device__ float sum(float a, float b) { return a + b; } // see also other(x)
        __global__ void __launch_bounds__(32) k(float const* const in, float* out) { STATEMENT }";

    #[test]
    fn unsupported_names_are_reported() {
        let refusal = |statement: &str| check("k", &KERNEL.replace("STATEMENT", statement)).err().map(|e| e.title);
        let known = [
            "out[threadIdx.x] = sum(exp(in[0]), min(in[1], float(uint32_t(3)))); __syncthreads();",
            "if (in[0] > 0) { Pair x = Pair{in[0], in[1]}; __pair_2 y = __pair_2{1, 2}; atomicAdd(&out[0], x.a); }",
            "nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c; nvcuda::wmma::fill_fragment(c, 0.0f);",
        ];
        for statement in known {
            assert_eq!(refusal(statement), None, "{statement}");
        }
        for (statement, name) in [
            ("__nanosleep(100);", "__nanosleep"),
            ("out[0] = __ldg(in);", "__ldg"),
            ("atomicInc(&out[0], 3);", "atomicInc"),
            ("float y = sinpif(in[0]);", "sinpif"),
            ("return quite_new(in[0]);", "quite_new"),
            ("__shared__ float held[32];", "__shared__"),
            ("*(volatile float*)out = 1;", "volatile"),
            ("cooperative_groups::this_grid().sync();", "cooperative_groups"),
            ("nvcuda::wmma::experimental::bmma_sync(c, a, b, c);", "experimental"),
            ("asm volatile(\"mbarrier.init.shared.b64 [%0], %1;\" :: \"r\"(0), \"r\"(1));", "mbarrier.init.shared.b64"),
            (
                "asm(\"{ ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0}, [%1]; }\" : \"=r\"(a) : \"r\"(b));",
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
            ),
        ] {
            let want = format!("kernel `k` uses `{name}`, which is not emulated");
            assert_eq!(refusal(statement), Some(want), "{statement}");
        }
    }
}
