//! `models`: lists the built-in models and their options.

use super::Outcome;
use super::args::ModelsArgs;
use partita::Result;
use partita::report::{Align, Table};
use partita_models::{BuiltInModel, MODELS, ModelOption, ModelOptions};
use serde_json::json;

/// Runs `partita models`.
pub(super) fn models(args: &ModelsArgs) -> Result<Outcome> {
    let chosen = args.name.as_deref().map(find).transpose()?;
    if args.json {
        let models: Vec<_> =
            MODELS.iter().filter(|m| chosen.is_none_or(|c| c.name == m.name)).map(|m| as_json(m)).collect();
        return Ok(format!("{:#}\n", json!({ "version": env!("CARGO_PKG_VERSION"), "models": models })).into());
    }
    Ok(chosen.map_or_else(list, options).into())
}

/// Finds a built-in model by name, with or without `zoo:`.
fn find(name: &str) -> Result<&'static BuiltInModel> {
    let spec = if name.starts_with("zoo:") { name.to_owned() } else { format!("zoo:{name}") };
    Ok(ModelOptions::parse(&spec, MODELS)?.entry)
}

/// Formats a table of all models.
fn list() -> String {
    let mut table = Table::new([("model", Align::Left), ("about", Align::Left)]);
    for model in MODELS {
        table.row([format!("zoo:{}", model.name), model.about.to_owned()]);
    }
    format!(
        "{table}\n`partita models gpt` lists the options of `zoo:gpt`; combine options as \
         `'zoo:gpt?layers=2&width=256'`\n"
    )
}

/// Formats a table of a model's options.
fn options(model: &BuiltInModel) -> String {
    let mut table = Table::new([("option", Align::Left), ("default", Align::Left), ("about", Align::Left)]);
    for option in model.options {
        table.row([option.name.to_owned(), option.default.to_owned(), option.about.to_owned()]);
    }
    format!("zoo:{}: {}\n\n{table}", model.name, model.about)
}

fn as_json(model: &BuiltInModel) -> serde_json::Value {
    let option =
        |option: &ModelOption| json!({ "name": option.name, "default": option.default, "about": option.about });
    json!({
        "name": format!("zoo:{}", model.name),
        "about": model.about,
        "options": model.options.iter().map(option).collect::<Vec<_>>(),
    })
}
