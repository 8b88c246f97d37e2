//! `models`: the built-in models and their options.

use super::Outcome;
use super::args::ModelsArgs;
use partita::Result;
use partita::report::{Align, Table};
use partita_models::{Entry, MODELS, Opt, Options};
use serde_json::json;

/// Carries out `partita models`.
pub(super) fn models(args: &ModelsArgs) -> Result<Outcome> {
    let chosen = args.name.as_deref().map(find).transpose()?;
    if args.json {
        let models: Vec<_> =
            MODELS.iter().filter(|m| chosen.is_none_or(|c| c.name == m.name)).map(|m| as_json(m)).collect();
        return Ok(format!("{:#}\n", json!({ "version": env!("CARGO_PKG_VERSION"), "models": models })).into());
    }
    Ok(chosen.map_or_else(list, options).into())
}

/// The model of that name, with or without `zoo:`.
fn find(name: &str) -> Result<&'static Entry> {
    let spec = if name.starts_with("zoo:") { name.to_owned() } else { format!("zoo:{name}") };
    Ok(Options::parse(&spec, MODELS)?.entry)
}

/// A line for each model.
fn list() -> String {
    let mut table = Table::new([("model", Align::Left), ("about", Align::Left)]);
    for model in MODELS {
        table.row([format!("zoo:{}", model.name), model.about.to_owned()]);
    }
    format!(
        "{table}\n`partita models gpt` lists the options of `zoo:gpt`; several are given as \
         `'zoo:gpt?layers=2&width=256'`\n"
    )
}

/// A line for each option of a model.
fn options(model: &Entry) -> String {
    let mut table = Table::new([("option", Align::Left), ("when not given", Align::Left), ("about", Align::Left)]);
    for option in model.options {
        table.row([option.name.to_owned(), option.default.to_owned(), option.about.to_owned()]);
    }
    format!("zoo:{}: {}\n\n{table}", model.name, model.about)
}

fn as_json(model: &Entry) -> serde_json::Value {
    let option = |option: &Opt| json!({ "name": option.name, "default": option.default, "about": option.about });
    json!({
        "name": format!("zoo:{}", model.name),
        "about": model.about,
        "options": model.options.iter().map(option).collect::<Vec<_>>(),
    })
}
