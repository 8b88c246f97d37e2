//! `launch`: starts a command as several processes, and again when one of them is lost.

mod arguments;
mod elastic;

use super::args::{Cli, CommandArgs, LaunchArgs, PlanFlags, TrainArgs};
use super::files::write_file;
use super::stop::stop_flag;
use super::{CallerModel, Outcome, devices};
use arguments::{LongOption, without};
use clap::Parser;
use elastic::Elastic;
use partita::Result;
use partita_ir::diag::{Code, Diagnostic};
use partita_ranks::launch::{Cause, Job, LOCAL_HOST, RankFailure, control, run};
use partita_runtime::checkpoint::SavedCheckpoint;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Runs `partita launch`.
pub(super) fn launch(args: &LaunchArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let program = std::env::current_exe()
        .map_err(|why| Diagnostic::new(Code::C001, format!("the path of this program is unknown: {why}")))?;
    let command = parse(&args.command)?;
    let training = match &command {
        CommandArgs::Train(training) => Some(&**training),
        _ => None,
    };
    if let (None, true) = (training, args.restarts > 0) {
        let title = "`--restarts` applies to `train`, which has checkpoints";
        return Err(Diagnostic::new(Code::A008, title).help("leave it out").into());
    }
    let elastic = match training.filter(|_| args.elastic) {
        Some(training) => Some(Elastic::new(training, args.machine.as_deref(), own)?),
        None => None,
    };
    let asked = stop_flag();
    let agent: Vec<String> = args.agent.split_whitespace().map(str::to_owned).collect();
    let mut hosts = hosts_of_processes(&args.hosts, args.processes as usize);
    let mut arguments = args.command.clone();
    for restart in 1.. {
        let program = program.to_string_lossy();
        let job = Job { program: &program, arguments: &arguments, agent: &agent, hosts: &hosts };
        let is_stop_requested = || asked.load(Ordering::Relaxed);
        let Some(failure) = run(&job, &is_stop_requested)? else { break };
        let is_over = is_stop_requested() || restart > args.restarts || !failure.is_transient();
        let Some(training) = training.filter(|_| !is_over) else {
            return ended(&failure, training.is_some() && args.restarts == 0);
        };
        eprintln!("note: {}", title(&failure));
        let mut how = format!("note: restart {restart} of {}", args.restarts);
        if let Some(elastic) = elastic.as_ref().filter(|_| hosts.len() > 1) {
            remove_lost(&mut hosts, &failure);
            let (plan, count) = elastic.plan_for(hosts.len(), args.processes as usize)?;
            // The fastest plan may use fewer devices than there are.
            hosts.truncate(count);
            let folder = training.save.as_deref().unwrap_or(Path::new("."));
            let file = folder.join(format!("plan-{count}-devices.toml"));
            write_file(&file, &plan.to_toml())?;
            arguments = with_plan(&arguments, &file);
            how += &format!(" on {} with `{}`", devices(count), file.display());
        }
        let (next, from) = resumed(&arguments, training)?;
        arguments = next;
        eprintln!("{how}{from}");
    }
    Ok(String::new().into())
}

/// Parses the arguments of the started command. An error is that of the command line.
fn parse(words: &[String]) -> Result<CommandArgs> {
    let name = std::iter::once("partita");
    let cli = Cli::try_parse_from(name.chain(words.iter().map(String::as_str))).unwrap_or_else(|error| error.exit());
    match cli.command {
        command @ (CommandArgs::Train(_)
        | CommandArgs::Run(_)
        | CommandArgs::Predict(_)
        | CommandArgs::Calibrate(_)) => Ok(command),
        _ => {
            let title = format!("`{}` runs as one process", words[0]);
            Err(Diagnostic::new(Code::A008, title)
                .help("launch `train`, `run`, `predict` or `calibrate`, or leave out `launch`")
                .into())
        }
    }
}

/// Returns the host of each process: a block of consecutive processes for each host.
fn hosts_of_processes(hosts: &[String], count: usize) -> Vec<String> {
    let host = |process: usize| hosts.get(process * hosts.len() / count).map_or(LOCAL_HOST, String::as_str);
    (0..count).map(|process| host(process).to_owned()).collect()
}

/// Removes the lost process, or all processes of a host that is not reached.
fn remove_lost(hosts: &mut Vec<String>, failure: &RankFailure) {
    let is_unreachable = matches!(failure.cause, Cause::Code(_));
    if is_unreachable && hosts.iter().any(|host| *host != failure.host) {
        hosts.retain(|host| *host != failure.host);
    } else {
        hosts.remove(failure.rank);
    }
}

/// Returns the arguments with a plan file instead of the flags of the plan.
fn with_plan(arguments: &[String], file: &Path) -> Vec<String> {
    let names: Vec<LongOption<'_>> = PlanFlags::names().map(LongOption::WithValue).collect();
    let mut arguments = without(arguments, &names);
    arguments.extend(["--plan".to_owned(), file.display().to_string()]);
    arguments
}

/// Returns the arguments that continue from the last checkpoint of the run, if there is one, and a description.
fn resumed(arguments: &[String], training: &TrainArgs) -> Result<(Vec<String>, String)> {
    let last = match &training.save {
        Some(folder) if folder.exists() => SavedCheckpoint::find(folder, None)?,
        _ => None,
    };
    let Some(checkpoint) = last else { return Ok((arguments.to_vec(), " from the beginning".to_owned())) };
    let mut arguments = without(arguments, &[LongOption::WithOptionalValue("resume")]);
    arguments.push("--resume".to_owned());
    Ok((arguments, format!(" from `{}`", checkpoint.path().display())))
}

/// Returns the outcome of a job that failed. What rank 0 has reported is not repeated.
fn ended(failure: &RankFailure, could_restart: bool) -> Result<Outcome> {
    eprint!("{}", failure.output);
    let is_reported = [1, i32::from(control::OTHER_RANK_FAILED)].map(Cause::Code).contains(&failure.cause);
    if is_reported {
        return Ok(Outcome { text: String::new(), ok: false });
    }
    let is_bug = failure.cause == Cause::Code(i32::from(super::crash::EXIT_CODE));
    let error = Diagnostic::new(if is_bug { Code::B001 } else { Code::R005 }, title(failure));
    Err(match failure.is_transient() && could_restart {
        true => error.help("`--restarts N` starts training again from its last checkpoint"),
        false => error,
    }
    .into())
}

/// Returns the statement of a failure.
fn title(failure: &RankFailure) -> String {
    let RankFailure { rank, host, cause, .. } = failure;
    match cause {
        Cause::Signal(signal) => {
            let name = signal_hook::low_level::signal_name(*signal).map_or(String::new(), |name| format!(" ({name})"));
            format!("rank {rank} on {host} was ended by signal {signal}{name}")
        }
        Cause::Code(255) if host != LOCAL_HOST => {
            format!("rank {rank} on {host} cannot be reached, or ended with exit code 255")
        }
        Cause::Code(code) => format!("rank {rank} on {host} ended with exit code {code}"),
        Cause::Unresponsive => format!("rank {rank} on {host} did not end after the others, and was killed"),
    }
}
