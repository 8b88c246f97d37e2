//! Numbers that the model of costs and the search are told, as a text: `widest=100000,gap=0.01`.

use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::plan::Written;
use partita_search::{Effort, Solver};

/// What efficiencies consist of.
const EFFICIENCIES: [&str; 4] = ["matmul", "memory", "link", "attention"];

/// What effort consists of.
const EFFORT: [&str; 4] = ["widest", "work", "gap", "solver"];

/// Reads efficiencies; what is not named is as by default.
///
/// # Errors
/// `C003`
pub fn efficiencies(written: &Written) -> Result<Efficiencies, Diagnostic> {
    let mut all = Efficiencies::default();
    for option in options(written, &EFFICIENCIES)? {
        let share = || option.number(|x: &f64| *x > 0.0 && *x <= 1.0, "a share above 0, at most 1: 0.6");
        match option.name {
            "matmul" => all.matmul = share()?,
            "memory" => all.memory = share()?,
            "link" => all.link = share()?,
            _ => {
                all.tiled_attention = match option.value {
                    "tiled" => true,
                    "written" => false,
                    _ => return Err(option.wrong("`tiled`, which never writes scores, or `written`")),
                }
            }
        }
    }
    Ok(all)
}

/// Efficiencies as a text that reads as the same.
pub(crate) fn efficiencies_text(of: &Efficiencies) -> String {
    let attention = if of.tiled_attention { "tiled" } else { "written" };
    format!("matmul={},memory={},link={},attention={attention}", of.matmul, of.memory, of.link)
}

/// Reads how much a search does; what is not named is as by default.
///
/// # Errors
/// `C003`
pub fn effort(written: &Written) -> Result<Effort, Diagnostic> {
    let mut all = Effort::default();
    for option in options(written, &EFFORT)? {
        match option.name {
            "widest" => all.widest = option.number(|&n| n > 0, "a number of entries above 0: 262144")?,
            "work" => all.work = option.number(|&n| n > 0, "a number of entries above 0: 16777216")?,
            "gap" => {
                all.gap = option
                    .number(|x: &f64| (0.0..1.0).contains(x), "a share from 0 up to, but not including, 1: 0.01")?
            }
            _ => all.solver = solver(&option)?,
        }
    }
    Ok(all)
}

/// The solver that is named.
fn solver(option: &Named<'_>) -> Result<Solver, Diagnostic> {
    let named = Solver::BUILT.iter().find(|solver| solver.to_string() == option.value);
    named.copied().ok_or_else(|| match option.value {
        "highs" => option.wrong("a solver that this `partita` was built with: `microlp`").help(
            "HiGHS needs CMake, a C++ compiler and libclang; enable it: `cargo install --path cli \
                   --features highs`",
        ),
        _ => option.wrong("a solver: `microlp`, or `highs` in a build with it"),
    })
}

/// Effort as a text that reads as the same.
pub(crate) fn effort_text(of: &Effort) -> String {
    format!("widest={},work={},gap={},solver={}", of.widest, of.work, of.gap, of.solver)
}

/// A name and its value.
struct Named<'t> {
    written: &'t Written,
    name: &'static str,
    value: &'t str,
    /// Where it begins.
    at: usize,
}

impl Named<'_> {
    fn number<T: std::str::FromStr>(&self, fits: impl Fn(&T) -> bool, needed: &str) -> Result<T, Diagnostic> {
        self.value.parse().ok().filter(fits).ok_or_else(|| self.wrong(needed))
    }

    fn wrong(&self, needed: &str) -> Diagnostic {
        let title = format!("`{}` is {needed}", self.name);
        Diagnostic::new(Code::C003, title).at(self.written.part(self.at..self.at + self.value.len()), "is none")
    }
}

/// The options of a text, each at most once.
fn options<'t>(written: &'t Written, names: &'static [&'static str]) -> Result<Vec<Named<'t>>, Diagnostic> {
    let mut found: Vec<Named<'t>> = Vec::new();
    let mut start = 0;
    for part in written.text.split(',') {
        let begin = start + part.len() - part.trim_start().len();
        start += part.len() + 1;
        let part = part.trim();
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let (at, (name, value)) = (begin + part.len() - value.trim_start().len(), (name.trim(), value.trim()));
        let place = written.part(begin..begin + name.len());
        let Some(&name) = names.iter().find(|known| **known == name) else {
            let error = Diagnostic::new(Code::C003, format!("there is no option `{name}` here")).at(place.clone(), "");
            let error = error.note(format!("there are {}", names.join(", ")));
            return Err(match nearest(name, names.iter().copied()) {
                Some(near) => error.fix("there is one with a similar name", place, near),
                None => error.help(format!("for example: {}", example(names))),
            });
        };
        if found.iter().any(|option| option.name == name) {
            return Err(Diagnostic::new(Code::C003, format!("`{name}` has two values")).at(place, "and again here"));
        }
        found.push(Named { written, name, value, at });
    }
    Ok(found)
}

fn example(names: &[&str]) -> &'static str {
    if names == EFFORT {
        "widest=262144,work=16777216,gap=0.002,solver=microlp"
    } else {
        "matmul=0.645,memory=0.46,link=0.825"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Written {
        Written::here(text)
    }

    #[test]
    fn texts_read_as_what_they_say() {
        let said = effort(&written("gap = 0.01, widest=7")).unwrap();
        assert_eq!(said, Effort { widest: 7, gap: 0.01, ..Effort::default() });
        assert_eq!(effort(&written(&effort_text(&said))).unwrap(), said);
        let said = efficiencies(&written("attention=written,link=1")).unwrap();
        assert_eq!(said, Efficiencies { link: 1.0, tiled_attention: false, ..Efficiencies::default() });
        assert_eq!(efficiencies(&written(&efficiencies_text(&said))).unwrap(), said);
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["", "widest", "widest=0", "gap=1", "work=-1", "solver=cplex", "widht=3", "gap=0.1,gap=0.2"] {
            assert!(effort(&written(text)).is_err(), "{text}");
        }
        for text in ["matmul=0", "memory=1.5", "link=NaN", "attention=fast"] {
            assert!(efficiencies(&written(text)).is_err(), "{text}");
        }
    }
}
