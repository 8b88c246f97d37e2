//! `serve`: serves a trained model over HTTP until Ctrl-C or SIGTERM.

use super::args::{Log, ServeArgs};
use super::predict::{LoadedPredictor, latency_comparison, load_predictor};
use super::{CallerModel, Outcome, print};
use partita::Result;
use partita::predict::Predictor;
use partita_serve::{ModelInfo, Options, Server};

/// Runs `partita serve`.
pub(super) fn serve(args: &ServeArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let trained = load_predictor(&args.trained, own)?;
    let called = trained.title();
    let LoadedPredictor { name, mut predictor, checkpoint } = trained;
    if args.trained.compare {
        print(&latency_comparison(&mut predictor)?);
    }
    let options = Options {
        listen: args.listen,
        max_delay: args.max_delay,
        queue: args.queue,
        max_examples: args.max_examples,
        max_body: args.max_body,
        connections: args.connections,
        connections_per_client: args.connections_per_client,
        allowed_hosts: args.allow_host.clone(),
        memory: args.memory,
        header_timeout: args.header_timeout,
        timeout: args.timeout,
        grace: args.grace,
        log: args.log == Some(Log::Requests),
    };
    let (places, batch) = (stages_text(&predictor)?, predictor.batch());
    let about = ModelInfo { model: name, checkpoint };
    let server = Server::start(predictor, about, options)?;
    print(&format!("serving {called}, on {places} in batches of {batch}: http://{}\n", server.address()));
    server.wait_for_signal();
    let all = server.stop();
    Ok(Outcome::from(if all { "stopped\n" } else { "stopped before all requests were answered\n" }.to_owned()))
}

/// Formats the stages and the axes of their meshes: `2 stages of data=2,model=4`.
fn stages_text(predictor: &Predictor) -> Result<String> {
    let meshes = predictor.partition().stages()?.list_meshes();
    Ok(match predictor.stage_count() {
        1 => meshes,
        stages => format!("{stages} stages of {meshes}"),
    })
}
