//! Parameters of the cost model and the search in text form: `widest=100000,gap=0.01`.

use partita_cost::roofline::efficiencies::{AttentionKernels, Efficiencies, Fusion, Software};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::plan::SourceText;
use partita_machine::Machine;
use partita_search::Effort;

/// Names of the efficiencies.
const EFFICIENCY_NAMES: [&str; 8] = ["matmul", "memory", "link", "issue", "software", "attention", "fusion", "gathers"];

/// Names of the search limits.
const SEARCH_LIMIT_NAMES: [&str; 3] = ["widest", "work", "gap"];

/// Parses efficiencies. Fractions that the text does not name are those of the machine.
///
/// # Errors
/// `C003` for an unknown name or an invalid value.
pub fn efficiencies(written: &SourceText) -> Result<Efficiencies, Diagnostic> {
    let mut all = Efficiencies::default();
    for option in options(written, &EFFICIENCY_NAMES)? {
        let share = || option.number(|x: &f64| *x > 0.0 && *x <= 1.0, "greater than 0 and at most 1, such as 0.6");
        match option.name {
            "matmul" => all.matmul = Some(share()?),
            "memory" => all.memory = Some(share()?),
            "link" => all.link = Some(share()?),
            "issue" => {
                let seconds = option.value.strip_suffix("us").and_then(|number| number.trim().parse::<f64>().ok());
                let seconds = seconds.filter(|us| us.is_finite() && *us >= 0.0);
                let wrong = || option.wrong("the time of the host per kernel, such as 5us");
                all.issue = Some(seconds.ok_or_else(wrong)? / 1e6);
            }
            "software" => {
                let software = Software::ALL.into_iter().find(|software| software.name() == option.value);
                all.software = software
                    .ok_or_else(|| option.wrong("`current`, or `earlier` if the machine file has its rates"))?;
            }
            "attention" => {
                let kernels = AttentionKernels::ALL.into_iter().find(|kernels| kernels.name() == option.value);
                all.attention = kernels.ok_or_else(|| {
                    option
                        .wrong("`tiled` (the kernels of the machine file), `flash1`, `flash3`, or `written` to memory")
                })?;
            }
            "fusion" => {
                let fusion = Fusion::ALL.into_iter().find(|fusion| fusion.name() == option.value);
                all.fusion = fusion.ok_or_else(|| {
                    option.wrong("`products`, `loops` without products, `chains` without norms, or `none`")
                })?;
            }
            _ => {
                all.prefetches_gathers = match option.value {
                    "prefetched" => true,
                    "ordered" => false,
                    _ => return Err(option.wrong("`ordered`, or `prefetched` before they are needed")),
                }
            }
        }
    }
    Ok(all)
}

/// Returns a warning for each efficiency that has no effect on a machine.
pub(crate) fn ineffective_options(of: &Efficiencies, machine: &Machine) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    if of.software == Software::Earlier && machine.kinds.iter().all(|kind| kind.earlier.is_none()) {
        let title = format!("`software=earlier` has no effect: `{}` states no rates of earlier software", machine.name);
        let help = "add them to the kinds of the machine file, `earlier = { bf16 = 0.6 }`, or leave the option out";
        all.push(Diagnostic::warning(Code::L018, title).help(help));
    }
    if of.issue.is_some() && of.fusion == Fusion::Products {
        let title = "`issue` has no effect: with `fusion=products`, kernels are not issued one by one";
        all.push(Diagnostic::warning(Code::L018, title).help("describe the framework: `fusion=none`"));
    }
    all
}

/// Formats efficiencies as text that [`efficiencies`] parses.
pub(crate) fn efficiencies_text(of: &Efficiencies) -> String {
    let gathers = if of.prefetches_gathers { "prefetched" } else { "ordered" };
    let shares = [("matmul", of.matmul), ("memory", of.memory), ("link", of.link)];
    let shares = shares.into_iter().filter_map(|(name, share)| Some(format!("{name}={},", share?)));
    let shares: String = shares.collect();
    let issue = of.issue.map_or(String::new(), |seconds| format!("issue={}us,", seconds * 1e6));
    let (software, attention, fusion) = (of.software.name(), of.attention.name(), of.fusion.name());
    format!("{shares}{issue}software={software},attention={attention},fusion={fusion},gathers={gathers}")
}

/// Parses the limits of a search. Limits that the text does not name have their defaults.
///
/// # Errors
/// `C003` for an unknown name or an invalid value.
pub fn effort(written: &SourceText) -> Result<Effort, Diagnostic> {
    let mut all = Effort::default();
    for option in options(written, &SEARCH_LIMIT_NAMES)? {
        match option.name {
            "widest" => all.max_table_entries = option.number(|&n| n > 0, "a number of entries above 0: 262144")?,
            "work" => all.max_work = option.number(|&n| n > 0, "a number of entries above 0: 16777216")?,
            _ => {
                all.gap = option
                    .number(|x: &f64| (0.0..1.0).contains(x), "a share from 0 up to, but not including, 1: 0.01")?
            }
        }
    }
    Ok(all)
}

/// Formats the limits of a search as text that [`effort`] parses.
pub(crate) fn effort_text(of: &Effort) -> String {
    format!("widest={},work={},gap={}", of.max_table_entries, of.max_work, of.gap)
}

/// A name and its value.
struct NamedOption<'t> {
    written: &'t SourceText,
    name: &'static str,
    value: &'t str,
    /// Byte offset of the value in the text.
    offset: usize,
}

impl NamedOption<'_> {
    fn number<T: std::str::FromStr>(&self, fits: impl Fn(&T) -> bool, needed: &str) -> Result<T, Diagnostic> {
        self.value.parse().ok().filter(fits).ok_or_else(|| self.wrong(needed))
    }

    fn wrong(&self, needed: &str) -> Diagnostic {
        let title = format!("`{}` must be {needed}", self.name);
        Diagnostic::new(Code::C003, title)
            .label(self.written.span_of(self.offset..self.offset + self.value.len()), "not valid")
    }
}

/// Splits a text into options. An option may occur once.
fn options<'t>(written: &'t SourceText, names: &'static [&'static str]) -> Result<Vec<NamedOption<'t>>, Diagnostic> {
    let mut found: Vec<NamedOption<'t>> = Vec::new();
    let mut start = 0;
    for part in written.text.split(',') {
        let begin = start + part.len() - part.trim_start().len();
        start += part.len() + 1;
        let part = part.trim();
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let (offset, (name, value)) = (begin + part.len() - value.trim_start().len(), (name.trim(), value.trim()));
        let place = written.span_of(begin..begin + name.len());
        let Some(&name) = names.iter().find(|known| **known == name) else {
            let error = Diagnostic::new(Code::C003, format!("there is no option `{name}`")).label(place.clone(), "");
            let error = error.note(format!("the options are {}", names.join(", ")));
            return Err(match nearest(name, names.iter().copied()) {
                Some(near) => error.fix("there is one with a similar name", place, near),
                None => error.help(format!("for example: {}", example(names))),
            });
        };
        if found.iter().any(|option| option.name == name) {
            return Err(Diagnostic::new(Code::C003, format!("`{name}` is given twice")).label(place, "and again here"));
        }
        found.push(NamedOption { written, name, value, offset });
    }
    Ok(found)
}

fn example(names: &[&str]) -> &'static str {
    if names == SEARCH_LIMIT_NAMES {
        "widest=262144,work=16777216,gap=0.002"
    } else {
        "matmul=0.7,memory=0.85,link=0.8"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> SourceText {
        SourceText::at_caller(text)
    }

    #[test]
    fn texts_round_trip() {
        let parsed = effort(&written("gap = 0.01, widest=7")).unwrap();
        assert_eq!(parsed, Effort { max_table_entries: 7, gap: 0.01, ..Effort::default() });
        assert_eq!(effort(&written(&effort_text(&parsed))).unwrap(), parsed);
        let parsed = efficiencies(&written(
            "attention=written,link=1,issue=12us,software=earlier,fusion=none,gathers=prefetched",
        ))
        .unwrap();
        assert_eq!(
            parsed,
            Efficiencies {
                link: Some(1.0),
                issue: Some(12e-6),
                software: Software::Earlier,
                attention: AttentionKernels::Written,
                fusion: Fusion::None,
                prefetches_gathers: true,
                ..Efficiencies::default()
            }
        );
        assert_eq!(efficiencies(&written(&efficiencies_text(&parsed))).unwrap(), parsed);
    }

    #[test]
    fn options_without_effect_are_reported() {
        let titles = |text: &str, machine: &str| -> Vec<String> {
            let machine = Machine::named(machine).unwrap();
            ineffective_options(&efficiencies(&written(text)).unwrap(), &machine).into_iter().map(|w| w.title).collect()
        };
        assert_eq!(titles("software=earlier,issue=12us,fusion=none", "hgx-h100"), [""; 0]);
        let found = titles("software=earlier,issue=12us", "dgx-a100");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("`software=earlier`") && found[1].starts_with("`issue`"), "{found:?}");
    }

    #[test]
    fn invalid_texts_are_rejected() {
        for text in ["", "widest", "widest=0", "gap=1", "work=-1", "widht=3", "gap=0.1,gap=0.2"] {
            assert!(effort(&written(text)).is_err(), "{text}");
        }
        for text in ["matmul=0", "memory=1.5", "link=NaN", "issue=5", "software=old", "attention=fast", "fusion=some"] {
            assert!(efficiencies(&written(text)).is_err(), "{text}");
        }
    }
}
