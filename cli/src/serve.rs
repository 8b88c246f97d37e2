//! `serve`: a trained model that answers over HTTP until it is told to stop.

use super::args::{Log, ServeArgs};
use super::predict::{Trained, trained};
use super::{Outcome, Own, print};
use partita::Result;
use partita::predict::Predictor;
use partita_serve::{About, Options, Server};

/// Carries out `partita serve`.
pub(super) fn serve(args: &ServeArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    let trained = trained(&args.trained, own)?;
    let called = trained.called();
    let Trained { name, predictor, checkpoint } = trained;
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
    let (mesh, batch) = (mesh(&predictor), predictor.batch());
    let about = About { model: name, checkpoint };
    let server = Server::start(predictor, about, options)?;
    print(&format!("serving {called}, on {mesh} in batches of {batch}: http://{}\n", server.address()));
    server.wait_for_signal();
    let all = server.stop();
    Ok(Outcome::from(if all { "stopped\n" } else { "stopped before all requests were answered\n" }.to_owned()))
}

/// The axes of the mesh: `data=2, model=4`.
fn mesh(predictor: &Predictor) -> String {
    let axes = predictor.partition().planned().mesh().map(|(_, mesh)| &mesh.axes);
    let axes = axes.into_iter().flatten().map(|axis| format!("{}={}", axis.name, axis.size));
    axes.collect::<Vec<_>>().join(", ")
}
