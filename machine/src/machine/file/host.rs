//! The table `host` of a machine.
//!
//! ```toml
//! [host]
//! cores = 2
//! costs = { run = "20us", task = "60ns" }     # and all others
//! memory = { "64KiB" = "80GB/s", "512MiB" = "9GB/s" }
//!
//! [[host.products]]
//! dtype = "f32"
//! order = "rows x columns"                    # how the elements of operands lie
//! sizes = [8, 512]
//! flops = [["1.5G", "12G"], ["9G", "40G"], ["9G", "40G"], ["20G", "70G"]]   # by m and n, then by k
//! ```

use super::{File, Table, Text, in_order};
use crate::host::{Cost, Host, Order, Products};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::dtype::DType;
use partita_ir::units::read_bytes;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// Most sizes of products.
const MOST_SIZES: usize = 32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostRecord {
    cores: Spanned<usize>,
    costs: Spanned<Table<Text>>,
    memory: Spanned<Table<Text>>,
    products: Vec<Spanned<ProductsRecord>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProductsRecord {
    dtype: Text,
    order: Text,
    sizes: Spanned<Vec<usize>>,
    flops: Spanned<Vec<Spanned<Vec<Text>>>>,
}

impl File<'_> {
    fn wrong(&self, code: Code, title: String, at: Range<usize>) -> Diagnostic {
        Diagnostic::new(code, title).at(self.span(at), "")
    }

    pub(super) fn host(&self, record: HostRecord) -> Result<Host, Diagnostic> {
        let cores = *record.cores.get_ref();
        if !(1..=1 << 12).contains(&cores) {
            return Err(self.wrong(Code::H002, format!("{cores} cores: there are 1 to 4096"), record.cores.span()));
        }
        let mut costs = [None; Cost::ALL.len()];
        let at = record.costs.span();
        for (name, seconds) in in_order(record.costs.into_inner()) {
            let known = Cost::ALL.into_iter().find(|cost| cost.name() == name.get_ref());
            let unknown = || {
                let error = self.error(Code::H001, format!("nothing is known to cost `{}`", name.get_ref()), &name);
                match nearest(name.get_ref(), Cost::ALL.map(Cost::name)) {
                    Some(near) => error.help(format!("there is `{near}`")),
                    None => error,
                }
            };
            costs[known.ok_or_else(unknown)? as usize] = Some(self.seconds(&seconds)?);
        }
        if let Some(missing) = Cost::ALL.into_iter().find(|cost| costs[*cost as usize].is_none()) {
            let title = format!("the host says nothing about the cost `{}`", missing.name());
            return Err(self.wrong(Code::H002, title, at).help("`partita calibrate` measures all of them"));
        }
        let at = record.memory.span();
        let mut memory: Vec<(u64, f64)> = Vec::new();
        for (size, rate) in in_order(record.memory.into_inner()) {
            let bytes = read_bytes(size.get_ref()).filter(|n| *n > 0);
            let bytes = bytes.ok_or_else(|| self.amount(&size, "bytes, above 0: 512KiB"))?;
            if memory.last().is_some_and(|(last, _)| *last >= bytes) {
                let title = format!("`{}` is not above the size before it", size.get_ref());
                return Err(self.error(Code::H002, title, &size));
            }
            memory.push((bytes, self.per_second(&rate)?));
        }
        if memory.is_empty() {
            return Err(self
                .wrong(Code::H002, "the host says nothing about its memory".into(), at)
                .help("memory = { \"64KiB\" = \"80GB/s\" }"));
        }
        let products =
            record.products.into_iter().map(|record| self.products(record)).collect::<Result<Vec<_>, _>>()?;
        if products.is_empty() {
            let title = "the host says nothing about products of matrices".to_owned();
            return Err(self.wrong(Code::H002, title, record.cores.span()).help("`partita calibrate` measures them"));
        }
        Ok(Host { cores, costs: costs.map(Option::unwrap_or_default), memory, products })
    }

    fn products(&self, record: Spanned<ProductsRecord>) -> Result<Products, Diagnostic> {
        let record = record.into_inner();
        let dtype = DType::from_name(record.dtype.get_ref());
        let unknown =
            || self.error(Code::H001, format!("`{}` is no element type", record.dtype.get_ref()), &record.dtype);
        let dtype = dtype.ok_or_else(unknown)?;
        let order = Order::ALL.into_iter().find(|order| order.name() == record.order.get_ref());
        let unknown = || {
            let title = format!("`{}` is no order of two matrices", record.order.get_ref());
            let orders = Order::ALL.map(Order::name).join("`, `");
            self.error(Code::H001, title, &record.order).note(format!("there are `{orders}`"))
        };
        let order = order.ok_or_else(unknown)?;
        let sizes = record.sizes.get_ref().clone();
        let grows = sizes.windows(2).all(|pair| pair[0] < pair[1]);
        if sizes.is_empty() || sizes.len() > MOST_SIZES || sizes[0] == 0 || !grows {
            let title =
                format!("sizes of products are 1 to {MOST_SIZES} numbers above 0, each above the one before it");
            return Err(self.wrong(Code::H002, title, record.sizes.span()));
        }
        let (n, at) = (sizes.len(), record.flops.span());
        let rows = record.flops.into_inner();
        if rows.len() != n * n {
            let title = format!("{} rows of rates: {n} sizes have {n} x {n} = {}", rows.len(), n * n);
            return Err(self.wrong(Code::H002, title, at));
        }
        let mut rates = Vec::with_capacity(n * n * n);
        for row in rows {
            if row.get_ref().len() != n {
                let title = format!("a row has {} of {n} rates", row.get_ref().len());
                return Err(self.wrong(Code::H002, title, row.span()));
            }
            for rate in row.get_ref() {
                rates.push(self.rate(rate)?);
            }
        }
        Ok(Products { dtype, order, sizes, rates })
    }
}
