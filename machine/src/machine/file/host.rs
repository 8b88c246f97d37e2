//! Parser of the table `host` of a machine file, the performance model of a [`Host`].
//!
//! ```toml
//! [host]
//! cores = 2
//! costs = { run = "20us", task = "60ns" }     # and all other costs
//! memory = { "64KiB" = "80GB/s", "512MiB" = "9GB/s" }
//!
//! [[host.products]]
//! dtype = "f32"
//! order = "rows x columns"                    # storage order of the operands
//! sizes = [8, 512]
//! flops = [["1.5G", "12G"], ["9G", "40G"], ["9G", "40G"], ["20G", "70G"]]   # FLOP/s: a row per (m, n), a column per k
//! ```

use super::network::RanksRecord;
use super::{File, Table, Text, in_order};
use crate::host::{Cost, Host, OperandOrder, ProductRates};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::dtype::DType;
use partita_ir::units::parse_bytes;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// Maximum number of sizes in a table of matrix products.
const MAX_PRODUCT_SIZES: usize = 32;

/// Table `host` as deserialised.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostRecord {
    cores: Spanned<usize>,
    costs: Spanned<Table<Text>>,
    memory: Spanned<Table<Text>>,
    products: Vec<Spanned<ProductsRecord>>,
    ranks: Option<Spanned<RanksRecord>>,
}

/// Element of the array `host.products` as deserialised. `flops` has a row for each pair `(m, n)` of sizes, with `n`
/// varying fastest, and a column for each `k`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProductsRecord {
    dtype: Text,
    order: Text,
    sizes: Spanned<Vec<usize>>,
    flops: Spanned<Vec<Spanned<Vec<Text>>>>,
}

impl File<'_> {
    /// Returns an error whose label is the given range of the file.
    pub(super) fn wrong(&self, code: Code, title: String, at: Range<usize>) -> Diagnostic {
        Diagnostic::new(code, title).label(self.span(at), "")
    }

    /// Converts the table. Errors: unknown or missing costs, amounts out of range, and sizes that are not ascending.
    pub(super) fn parse_host(&self, record: HostRecord) -> Result<Host, Diagnostic> {
        let cores = *record.cores.get_ref();
        if !(1..=1 << 12).contains(&cores) {
            return Err(self.wrong(
                Code::H002,
                format!("number of cores {cores} is not from 1 to 4096"),
                record.cores.span(),
            ));
        }
        let mut costs = [None; Cost::ALL.len()];
        let at = record.costs.span();
        for (name, seconds) in in_order(record.costs.into_inner()) {
            let known = Cost::ALL.into_iter().find(|cost| cost.name() == name.get_ref());
            let unknown = || {
                let error = self.error(Code::H001, format!("unknown cost `{}`", name.get_ref()), &name);
                match nearest(name.get_ref(), Cost::ALL.map(Cost::name)) {
                    Some(near) => error.help(format!("a similar name is `{near}`")),
                    None => error,
                }
            };
            costs[known.ok_or_else(unknown)? as usize] = Some(self.parse_seconds(&seconds)?);
        }
        if let Some(missing) = Cost::ALL.into_iter().find(|cost| costs[*cost as usize].is_none()) {
            let title = format!("the host table lacks the cost `{}`", missing.name());
            return Err(self.wrong(Code::H002, title, at).help("run `partita calibrate` to measure all costs"));
        }
        let at = record.memory.span();
        let mut memory: Vec<(u64, f64)> = Vec::new();
        for (size, rate) in in_order(record.memory.into_inner()) {
            let bytes = parse_bytes(size.get_ref()).filter(|n| *n > 0);
            let bytes =
                bytes.ok_or_else(|| self.invalid_amount(&size, "a positive number of bytes, such as 512KiB"))?;
            if memory.last().is_some_and(|(last, _)| *last >= bytes) {
                let title = format!("`{}` is not larger than the previous size", size.get_ref());
                return Err(self.error(Code::H002, title, &size));
            }
            memory.push((bytes, self.parse_bytes_per_second(&rate)?));
        }
        if memory.is_empty() {
            return Err(self
                .wrong(Code::H002, "the host table lacks memory bandwidths".into(), at)
                .help("memory = { \"64KiB\" = \"80GB/s\" }"));
        }
        let products =
            record.products.into_iter().map(|record| self.parse_products(record)).collect::<Result<Vec<_>, _>>()?;
        if products.is_empty() {
            let title = "the host table lacks rates of matrix products".to_owned();
            return Err(self
                .wrong(Code::H002, title, record.cores.span())
                .help("run `partita calibrate` to measure them"));
        }
        let ranks = record.ranks.map(|ranks| self.parse_ranks(ranks)).transpose()?;
        Ok(Host { cores, costs: costs.map(Option::unwrap_or_default), memory, products, ranks })
    }

    /// Converts a table of matrix products.
    fn parse_products(&self, record: Spanned<ProductsRecord>) -> Result<ProductRates, Diagnostic> {
        let record = record.into_inner();
        let dtype = DType::from_name(record.dtype.get_ref());
        let unknown =
            || self.error(Code::H001, format!("`{}` is not an element type", record.dtype.get_ref()), &record.dtype);
        let dtype = dtype.ok_or_else(unknown)?;
        let order = OperandOrder::ALL.into_iter().find(|order| order.name() == record.order.get_ref());
        let unknown = || {
            let title = format!("`{}` is not a storage order of two matrices", record.order.get_ref());
            let orders = OperandOrder::ALL.map(OperandOrder::name).join("`, `");
            self.error(Code::H001, title, &record.order).note(format!("the storage orders are `{orders}`"))
        };
        let order = order.ok_or_else(unknown)?;
        let sizes = record.sizes.get_ref().clone();
        let grows = sizes.windows(2).all(|pair| pair[0] < pair[1]);
        if sizes.is_empty() || sizes.len() > MAX_PRODUCT_SIZES || sizes[0] == 0 || !grows {
            let title = format!("sizes of products are 1 to {MAX_PRODUCT_SIZES} positive numbers in ascending order");
            return Err(self.wrong(Code::H002, title, record.sizes.span()));
        }
        let (n, at) = (sizes.len(), record.flops.span());
        let rows = record.flops.into_inner();
        if rows.len() != n * n {
            let title = format!("{} rows of rates, but {n} sizes need {n} x {n} = {}", rows.len(), n * n);
            return Err(self.wrong(Code::H002, title, at));
        }
        let mut rates = Vec::with_capacity(n * n * n);
        for row in rows {
            if row.get_ref().len() != n {
                let title = format!("a row has {} instead of {n} rates", row.get_ref().len());
                return Err(self.wrong(Code::H002, title, row.span()));
            }
            for rate in row.get_ref() {
                rates.push(self.parse_rate(rate)?);
            }
        }
        Ok(ProductRates { dtype, order, sizes, rates })
    }
}
