//! Command-line flags of a plan, generated from the table of plan keys.

use clap::error::Result;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use partita_ir::plan::{Flag, KEYS, PlanKey};
use partita_passes::planning::presets;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Arguments of a plan: a plan file, and a flag for each key.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct PlanFlags {
    /// Plan file, which the flags extend.
    pub(crate) plan: Option<PathBuf>,
    /// Values of each flag, in order, by the name of the flag.
    values: BTreeMap<&'static str, Vec<String>>,
}

impl PlanFlags {
    /// Returns the key and the value of each flag that is given, in the order of the table.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&'static PlanKey, &str)> {
        flags().flat_map(|(key, flag)| self.values.get(flag.name).into_iter().flatten().map(move |v| (key, v.as_str())))
    }

    /// Returns the names of all flags, and of the option for a plan file.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        flags().map(|(_, flag)| flag.name).chain(["plan"])
    }

    /// Returns true if the flag is given.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.values.contains_key(flag)
    }

    /// Returns the flags with one more value appended.
    pub(crate) fn and(&self, flag: &'static str, value: &str) -> PlanFlags {
        let mut flags = self.clone();
        flags.values.entry(flag).or_default().push(value.to_owned());
        flags
    }
}

/// Returns the keys that have a flag.
fn flags() -> impl Iterator<Item = (&'static PlanKey, Flag)> {
    KEYS.iter().filter_map(|key| Some((key, key.flag?)))
}

/// Creates the clap argument of a flag.
fn argument(key: &PlanKey, flag: Flag) -> Arg {
    let presets: Vec<String> = presets::names_with_aliases().collect();
    let help = flag.help.replace("{presets}", &presets.join(", "));
    Arg::new(flag.name)
        .long(flag.name)
        .value_name(flag.value)
        .help_heading(flag.heading)
        .help(if flag.example.is_empty() { help } else { format!("{help}: `{}`", flag.example) })
        .action(if key.is_repeatable() { ArgAction::Append } else { ArgAction::Set })
}

impl Args for PlanFlags {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("plan")
            .long("plan")
            .value_name("PLAN.toml")
            .help_heading("Plan")
            .help("Plan file, which the flags below extend")
            .value_parser(value_parser!(PathBuf));
        command.arg(file).args(flags().map(|(key, flag)| argument(key, flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        PlanFlags::augment_args(command)
    }
}

impl FromArgMatches for PlanFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PlanFlags> {
        let values = |name: &str| Some(matches.get_many::<String>(name)?.cloned().collect());
        let values = flags().filter_map(|(_, flag)| Some((flag.name, values(flag.name)?))).collect();
        Ok(PlanFlags { plan: matches.get_one::<PathBuf>("plan").cloned(), values })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<()> {
        *self = PlanFlags::from_arg_matches(matches)?;
        Ok(())
    }
}
