//! Names of CUDA C++ and instructions of PTX that kernels use and that are not emulated.

use super::translation::SHIM;
use partita_ir::diag::{Code, Diagnostic};
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// What C++ itself has: words that may stand before a parenthesis, and functions of `math.h`.
const CPP: &str = "if for while switch return sizeof alignas alignof decltype static_assert catch
    bool char short int long unsigned signed float double void __restrict__
    fma isnan isinf isfinite signbit fabs abs fmod fmin fmax floor ceil round rint trunc sqrt cbrt pow exp exp2 expm1 \
    log log2 log10 log1p
    sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma hypot copysign
    fmaf fabsf fmodf fminf fmaxf floorf ceilf roundf rintf truncf sqrtf cbrtf powf expf exp2f expm1f logf log2f log10f \
    log1pf
    sinf cosf tanf asinf acosf atanf atan2f sinhf coshf tanhf asinhf acoshf atanhf erff erfcf";

/// Words behind which a name with a parenthesis is no declaration.
const NO_TYPES: [&str; 5] = ["return", "else", "do", "case", "throw"];

/// A word of a text, and what is around it.
struct Word<'t> {
    text: &'t str,
    before: &'t str,
    behind: &'t str,
}

/// The words of C++ code that are names or keywords.
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
                    behind: text[end..].trim_start(),
                });
            }
        }
    })
}

/// A text without comments at ends of lines.
fn code(text: &str) -> String {
    let line = |line: &str| line.split_once("//").map_or(line, |(code, _)| code).to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// All words of the headers, and those of C++.
static KNOWN: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let headers = code(&SHIM.join("\n"));
    let known = words(&headers).map(|word| word.text).chain(CPP.split_whitespace());
    known.map(str::to_owned).collect()
});

impl Word<'_> {
    /// Whether it is called, or declared to be.
    fn has_parenthesis(&self) -> bool {
        self.behind.starts_with('(')
    }

    /// The word right before it.
    fn last(&self) -> &str {
        self.before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
    }

    /// Whether the text declares it here: behind a type, as a type, or as a parameter of a template.
    fn is_declared(&self) -> bool {
        let last = self.last();
        // `struct alignas(16) Name {`
        let is_aligned = self.behind.starts_with('{') && self.before.ends_with(')');
        is_aligned
            || ["struct", "class", "typename", "enum", "union"].contains(&last)
            || self.has_parenthesis() && !last.is_empty() && !NO_TYPES.contains(&last)
            || self.behind.starts_with(';')
                && self.before.rsplit(['\n', ';']).next().unwrap_or_default().starts_with("typedef")
    }

    /// Whether C++ or CUDA must have it, unless the text declares it.
    fn is_foreign(&self) -> bool {
        let is_qualified = self.behind.starts_with("::") || self.before.ends_with("::");
        let is_member = self.before.ends_with('.') || self.before.ends_with("->");
        let is_reserved = self.text.starts_with("__") || self.text.starts_with("atomic") || self.text == "volatile";
        is_reserved || is_qualified || self.has_parenthesis() && !is_member
    }
}

/// The first instruction of PTX that is left in a text.
fn instruction(text: &str) -> Option<&str> {
    let asm = words(text).find(|word| ["asm", "__asm__"].contains(&word.text))?;
    let (_, ptx) = asm.behind.split_once('"')?;
    ptx.trim_start_matches(['{', ' ', '\t', '\n']).split([' ', ';', '"', '\\']).next()
}

/// Refuses a kernel that uses what is not emulated, by its name.
///
/// # Errors
/// `R004` with the name.
pub(super) fn check(kernel: &str, text: &str) -> Result<(), Diagnostic> {
    let text = code(text);
    let refused = |what: &str| {
        Err(Diagnostic::new(Code::R004, format!("kernel `{kernel}` uses `{what}`, which is not emulated")))
    };
    if let Some(instruction) = instruction(&text) {
        return refused(instruction);
    }
    let declared: FxHashSet<&str> = words(&text).filter(Word::is_declared).map(|word| word.text).collect();
    let is_known = |word: &str| word == kernel || declared.contains(word) || KNOWN.contains(word);
    match words(&text).find(|word| word.is_foreign() && !is_known(word.text)) {
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
    fn what_is_not_emulated_is_named() {
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
