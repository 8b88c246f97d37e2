//! Parser of the tables `achieved`, `earlier`, `kernels` and `reserved` of a kind of device, and of `achieved` and
//! `setup` of a link.
//!
//! ```toml
//! [kind.A100]
//! achieved = { bf16 = 0.8, attention = 0.6, attention_grad = 0.5, memory = 0.9, clock = 1 }   # fractions
//! earlier = { bf16 = 0.7 }                                                                         # older software
//! kernels = { units = 108, launch = "2us", issue = "5us", overlap = 0.1 }
//! reserved = { context = "500MB", workspace = "64MB", communicator = "300MB", fragmentation = 0.05 }
//! uncertainty = 0.08
//! ```

use super::{File, Text};
use crate::DeviceKind;
use crate::profile::{AchievedLink, AchievedRates, KernelCosts, ReservedMemory};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::dtype::DType;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Maximum number of multiprocessors of a device.
const MAX_UNITS: u32 = 1 << 20;

/// Names in the table `achieved` other than dtypes.
const ACHIEVED_NAMES: [&str; 4] = ["attention", "attention_grad", "memory", "clock"];

/// Table `achieved` as deserialised.
pub(super) type AchievedRecord = BTreeMap<Text, Spanned<f64>>;

/// Table `kernels` as deserialised.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KernelsRecord {
    units: Option<Spanned<u32>>,
    launch: Option<Text>,
    issue: Option<Text>,
    overlap: Option<Spanned<f64>>,
}

/// Table `reserved` as deserialised.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReservedRecord {
    context: Option<Text>,
    workspace: Option<Text>,
    communicator: Option<Text>,
    fragmentation: Option<Spanned<f64>>,
}

impl File<'_> {
    /// Converts the table `achieved` of a kind.
    ///
    /// # Errors
    /// `H001` for an unknown name or a number that is not a fraction.
    pub(super) fn parse_achieved(&self, record: AchievedRecord) -> Result<AchievedRates, Diagnostic> {
        let mut rates = AchievedRates::default();
        for (name, fraction) in super::in_order(record) {
            let value = self.parse_fraction(&fraction)?;
            match name.get_ref().as_str() {
                "attention" => rates.attention = value,
                "attention_grad" => rates.attention_grad = value,
                "memory" => rates.memory = value,
                "clock" => rates.clock = value,
                other => {
                    let dtype = DType::from_name(other).ok_or_else(|| {
                        let title = format!("`{other}` is neither an element type nor a rate");
                        let error = self.error(Code::H001, title, &name);
                        let error = error.note(format!("the other rates are {}", ACHIEVED_NAMES.join(", ")));
                        match nearest(other, ACHIEVED_NAMES) {
                            Some(near) => error.help(format!("a similar name is `{near}`")),
                            None => error.help("achieved = { bf16 = 0.8, memory = 0.9 }"),
                        }
                    })?;
                    rates.products.insert(dtype, value);
                }
            }
        }
        Ok(rates)
    }

    /// Converts the table `kernels` of a kind.
    ///
    /// # Errors
    /// `H001` for times and fractions out of range.
    pub(super) fn parse_kernels(&self, record: KernelsRecord) -> Result<KernelCosts, Diagnostic> {
        let mut costs = KernelCosts::default();
        if let Some(units) = record.units {
            costs.units = *units.get_ref();
            if costs.units > MAX_UNITS {
                let title = format!("{} multiprocessors are more than {MAX_UNITS}", costs.units);
                return Err(Diagnostic::new(Code::H001, title).label(self.span(units.span()), ""));
            }
        }
        if let Some(launch) = record.launch {
            costs.launch = self.parse_seconds(&launch)?;
        }
        if let Some(issue) = record.issue {
            costs.issue = self.parse_seconds(&issue)?;
        }
        if let Some(overlap) = record.overlap {
            costs.overlap = self.parse_share(&overlap)?;
        }
        Ok(costs)
    }

    /// Converts the table `reserved` of a kind.
    ///
    /// # Errors
    /// `H001` for sizes and fractions out of range.
    pub(super) fn parse_reserved(&self, record: ReservedRecord) -> Result<ReservedMemory, Diagnostic> {
        let size = |text: Option<Text>| text.map_or(Ok(0), |text| self.parse_size(&text));
        Ok(ReservedMemory {
            context: size(record.context)?,
            workspace: size(record.workspace)?,
            communicator: size(record.communicator)?,
            fragmentation: record.fragmentation.map_or(Ok(0.0), |share| self.parse_share(&share))?,
        })
    }

    /// Converts the uncertainty of a kind.
    ///
    /// # Errors
    /// `H001` for a number that is not a fraction.
    pub(super) fn parse_uncertainty(&self, number: Option<&Spanned<f64>>) -> Result<f64, Diagnostic> {
        number.map_or(Ok(DeviceKind::UNCERTAINTY), |number| self.parse_share(number))
    }

    /// Converts `achieved` and `setup` of a link or port.
    ///
    /// # Errors
    /// `H001` for a time or fraction out of range.
    pub(super) fn parse_achieved_link(
        &self,
        bandwidth: Option<&Spanned<f64>>,
        setup: Option<&Text>,
    ) -> Result<AchievedLink, Diagnostic> {
        let mut link = AchievedLink::default();
        if let Some(bandwidth) = bandwidth {
            link.bandwidth = self.parse_fraction(bandwidth)?;
        }
        if let Some(setup) = setup {
            link.setup = self.parse_seconds(setup)?;
        }
        Ok(link)
    }

    /// Returns a fraction above 0 and at most 1.
    fn parse_fraction(&self, number: &Spanned<f64>) -> Result<f64, Diagnostic> {
        let value = *number.get_ref();
        let is_fraction = value > 0.0 && value <= 1.0;
        is_fraction.then_some(value).ok_or_else(|| self.not_a_fraction(number, "above 0 and at most 1, such as 0.8"))
    }

    /// Returns a fraction from 0 to below 1.
    fn parse_share(&self, number: &Spanned<f64>) -> Result<f64, Diagnostic> {
        let value = *number.get_ref();
        let is_share = (0.0..1.0).contains(&value);
        is_share.then_some(value).ok_or_else(|| self.not_a_fraction(number, "from 0 to below 1, such as 0.1"))
    }

    fn not_a_fraction(&self, number: &Spanned<f64>, needed: &str) -> Diagnostic {
        let title = format!("{} is not a fraction {needed}", number.get_ref());
        Diagnostic::new(Code::H001, title).label(self.span(number.span()), "")
    }
}
