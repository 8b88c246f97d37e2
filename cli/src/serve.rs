//! `serve`: a trained model that answers over HTTP until it is told to stop.

use super::args::{Log, ServeArgs};
use super::predict::{Trained, compared, trained};
use super::{Outcome, Own, print};
use partita::Result;
use partita::predict::Predictor;
use partita_serve::{About, Options, Server};

/// Carries out `partita serve`.
pub(super) fn serve(args: &ServeArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    let trained = trained(&args.trained, own)?;
    let called = trained.called();
    let Trained { name, mut predictor, checkpoint } = trained;
    if args.trained.compare {
        print(&compared(&mut predictor)?);
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
    let (places, batch) = (places(&predictor)?, predictor.batch());
    let about = About { model: name, checkpoint };
    let server = Server::start(predictor, about, options)?;
    print(&format!("serving {called}, on {places} in batches of {batch}: http://{}\n", server.address()));
    server.wait_for_signal();
    let all = server.stop();
    Ok(Outcome::from(if all { "stopped\n" } else { "stopped before all requests were answered\n" }.to_owned()))
}

/// The stages, and the axes of their meshes: `2 stages of data=2,model=4`.
fn places(predictor: &Predictor) -> Result<String> {
    let meshes = predictor.partition().stages()?.list_meshes();
    Ok(match predictor.stage_count() {
        1 => meshes,
        stages => format!("{stages} stages of {meshes}"),
    })
}
