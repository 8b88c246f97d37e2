//! GPUs of NVIDIA and their libraries: what was found of them, and what follows from it. Nothing here looks for itself.

use crate::cublaslt;
use crate::finding::Finding;
use crate::nccl;
use crate::nvrtc;
use crate::target::Target;
use partita_ir::diag::{Code, Diagnostic, shell_word};
use partita_ir::units::bytes;

/// What a machine has of NVIDIA's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cards {
    /// The version of CUDA that the driver is for, or why there is no driver.
    pub driver: Result<String, String>,
    /// The GPUs, as the driver counts them.
    pub cards: Vec<Card>,
    /// The compiler of kernels.
    pub nvrtc: Library,
    /// What several GPUs meet over.
    pub nccl: Library,
    /// Products of matrices, to compare with.
    pub cublaslt: Library,
}

/// A library's version, and where it lies; or where it was looked for in vain.
pub type Library = Result<(String, String), String>;

/// A GPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Card {
    /// What it calls itself.
    pub name: String,
    /// Its compute capability, times ten.
    pub arch: u32,
    /// Bytes of its memory.
    pub memory: u64,
}

/// Kernels that an artefact has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The architecture for which they are compiled.
    pub arch: u32,
    /// Whether there is machine code beside the text.
    pub has_code: bool,
}

/// How a GPU comes to run kernels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    /// Not at all.
    None,
    /// Their text is compiled when they are loaded.
    Text,
    /// Their machine code is loaded.
    Code,
}

impl Offer {
    /// Machine code runs on GPUs of its generation from its own architecture on.
    fn fit(self, card: &Card, has_compiler: bool) -> Fit {
        let runs = self.arch / 10 == card.arch / 10 && self.arch <= card.arch;
        match (self.has_code && runs, has_compiler) {
            (true, _) => Fit::Code,
            (false, true) => Fit::Text,
            (false, false) => Fit::None,
        }
    }
}

/// Where ranks run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seats {
    /// All of them on the first GPU.
    One,
    /// Each on the GPU of its number.
    Each,
}

impl Cards {
    /// Which of some kernels run for so many ranks, and where; `model` is what messages call what they compute.
    ///
    /// # Errors
    /// `A003` when there is no driver, no GPU, none that runs them, or several that are too few or cannot meet.
    pub fn place(&self, model: &str, offers: &[Offer], ranks: usize) -> Result<(usize, Seats), Diagnostic> {
        let seats = self.seats(model, ranks)?;
        let used = &self.cards[..if seats == Seats::Each { ranks } else { 1 }];
        let (card, has_compiler) = (&used[0], self.nvrtc.is_ok());
        let fit = |offer: &Offer| used.iter().map(|card| offer.fit(card, has_compiler)).min().unwrap_or(Fit::None);
        // Machine code before text, and the newest that is not too new.
        let rank = |offer: &Offer| {
            let (arch, is_older) = (i64::from(offer.arch), offer.arch <= card.arch);
            (fit(offer), is_older, if is_older { arch } else { -arch })
        };
        let Some((at, offer)) = offers.iter().enumerate().max_by_key(|(_, offer)| rank(offer)) else {
            return Err(Diagnostic::new(Code::A003, format!("`{model}` has no kernels for CUDA")));
        };
        match used.iter().find(|card| offer.fit(card, has_compiler) == Fit::None) {
            None => Ok((at, seats)),
            Some(card) => Err(unfit(model, *offer, card, self.nvrtc.as_ref().err().map_or("", String::as_str))),
        }
    }

    /// Where so many ranks run: with a GPU each, or all on the only one.
    fn seats(&self, model: &str, ranks: usize) -> Result<Seats, Diagnostic> {
        if let Err(why) = &self.driver {
            return Err(without_driver(why));
        }
        let one = "or run all of them on one GPU: CUDA_VISIBLE_DEVICES=0 partita run ...";
        match (self.cards.len(), &self.nccl) {
            (0, _) => {
                let none = Diagnostic::new(Code::A003, "the driver for CUDA knows no GPU");
                Err(none.help("say which GPUs it may use: CUDA_VISIBLE_DEVICES=0").help(WITHOUT))
            }
            (1, _) => Ok(Seats::One),
            _ if ranks == 1 => Ok(Seats::One),
            (cards, _) if cards < ranks => {
                let title = format!("`{model}` is for {ranks} devices, and this machine has {cards} GPUs");
                let few = Diagnostic::new(Code::A003, title)
                    .note("each device has a GPU of its own, or all of them share one");
                Err(few.help(format!("compile the model for a mesh of {cards} devices")).help(one))
            }
            (_, Err(why)) => {
                let title = format!("{ranks} GPUs meet over NCCL, which was not found");
                Err(Diagnostic::new(Code::A003, title).note(why.clone()).help(nccl::WHEEL).help(one))
            }
            (_, Ok(_)) => Ok(Seats::Each),
        }
    }

    /// What there is and what is missing, in lines.
    pub fn found(&self) -> Vec<Finding> {
        let line = |what, name: Option<String>, about: String, help: String| {
            let help = name.is_none().then_some(help);
            Finding { target: "cuda".into(), what, name, about, help }
        };
        let library = |what, name: &str, found: &Library, help: String| match found {
            Ok((version, at)) => line(what, Some(format!("{name} {version}")), at.clone(), help),
            Err(why) => line(what, None, format!("{name}: {why}"), help),
        };
        let mut all = vec![match &self.driver {
            Ok(version) if self.cards.is_empty() => {
                line("driver", None, format!("CUDA {version}, and no device"), INSTALL.into())
            }
            Ok(version) => line("driver", Some(format!("CUDA {version}")), String::new(), String::new()),
            Err(why) => line("driver", None, why.clone(), INSTALL.into()),
        }];
        all.extend(self.cards.iter().map(|Card { name, arch, memory }| {
            line("device", Some(name.clone()), format!("sm_{arch}, {}", bytes(*memory)), String::new())
        }));
        all.push(library("compiler", "NVRTC", &self.nvrtc, format!("NVRTC compiles kernels: {}", nvrtc::WHEELS)));
        all.push(library("library", "NCCL", &self.nccl, format!("several GPUs meet over NCCL: {}", nccl::WHEEL)));
        let compared = format!("benchmarks compare with cuBLASLt: {}", cublaslt::WHEEL);
        all.push(library("library", "cuBLASLt", &self.cublaslt, compared));
        all
    }
}

/// Why a GPU does not run what it is offered, where nothing compiles the text.
fn unfit(model: &str, offer: Offer, card: &Card, why: &str) -> Diagnostic {
    let (arch, name) = (offer.arch, &card.name);
    let (title, note) = match offer.has_code {
        true => (
            format!("`{model}` is compiled for sm_{arch}, and {name} is sm_{}", card.arch),
            format!("machine code for sm_{arch} runs on sm_{arch} to sm_{}", arch / 10 * 10 + 9),
        ),
        false => (
            format!("`{model}` has kernels for sm_{arch} as text only, and NVRTC, which compiles it, was not found"),
            why.to_owned(),
        ),
    };
    Diagnostic::new(Code::A003, title)
        .note(note)
        .help(format!(
            "compile the model again where NVRTC is: `partita compile {} --target cuda:sm_{}`",
            shell_word(model),
            card.arch
        ))
        .help(format!("or let the text be compiled here: {}", nvrtc::WHEELS))
}

/// What helps a machine without a driver.
pub(crate) const INSTALL: &str = "install the driver of its GPU: https://www.nvidia.com/drivers";

/// What helps where CUDA does not.
const WITHOUT: &str = "or compile for GPUs of any make, one in software too: --target wgsl";

/// A machine without a driver.
pub(crate) fn without_driver(why: &str) -> Diagnostic {
    Diagnostic::new(Code::A003, "this machine has no GPU with a driver for CUDA").note(why).help(INSTALL).help(WITHOUT)
}

impl From<&crate::Module> for Offer {
    fn from(module: &crate::Module) -> Offer {
        let arch = if let Target::Cuda { arch } = module.target { arch } else { 0 };
        Offer { arch, has_code: module.code_bytes().is_some() }
    }
}

#[cfg(test)]
mod tests;
