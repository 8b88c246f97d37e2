//! Validation of the `Host` header.
//!
//! A web page can make a browser send requests to a server on the user's machine or network under a name that the
//! page's author controls (DNS rebinding). Such a request has that name in its `Host` header. The server therefore
//! accepts only hosts that an attacker cannot control: loopback, the listen address, and the names that its operator
//! allows.

use super::App;
use crate::response::Problem;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Request};
use axum::middleware::Next;
use axum::response::Response;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Maximum number of characters of a host that an error message shows.
const MAX_SHOWN_CHARS: usize = 64;

/// Hosts that the `Host` header of a request may contain.
pub(crate) struct AllowedHosts {
    listen: IpAddr,
    names: Vec<String>,
}

impl AllowedHosts {
    /// Allows loopback, the listen address and these names. A server that listens on all addresses accepts every IP
    /// address, but no other names.
    pub(crate) fn new(listen: SocketAddr, names: &[String]) -> AllowedHosts {
        AllowedHosts { listen: listen.ip(), names: names.iter().map(|name| normalize(name)).collect() }
    }

    fn allows(&self, host: &str) -> bool {
        let host = normalize(host);
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
        match address.parse::<IpAddr>().map(|address| address.to_canonical()) {
            Ok(address) => {
                let is_listen = address == self.listen.to_canonical() || self.listen.is_unspecified();
                address.is_loopback() || is_listen || self.names.contains(&host)
            }
            Err(_) => host == "localhost" || self.names.contains(&host),
        }
    }

    /// Checks the host in the `Host` header, and the host in the request URI if present.
    ///
    /// # Errors
    /// 400 for a missing, repeated or malformed header, 421 for a host that is not allowed.
    fn check(&self, headers: &HeaderMap, uri: Option<&Authority>) -> Result<(), Problem> {
        let mut values = headers.get_all(HOST).iter();
        let host = match (values.next(), values.next()) {
            (Some(host), None) => host,
            (None, _) => return Err(Problem::new(400, "bad_host", "the request has no `Host` header").closing()),
            (Some(_), Some(_)) => {
                return Err(Problem::new(400, "bad_host", "the request has several `Host` headers").closing());
            }
        };
        let shown: String = String::from_utf8_lossy(host.as_bytes()).chars().take(MAX_SHOWN_CHARS).collect();
        let Some(host) = Authority::try_from(host.as_bytes()).ok().filter(|host| !host.as_str().contains('@')) else {
            return Err(
                Problem::new(400, "bad_host", format!("`{shown}` in the `Host` header is not a host")).closing()
            );
        };
        match [Some(&host), uri].into_iter().flatten().find(|authority| !self.allows(authority.host())) {
            None => Ok(()),
            Some(other) => {
                let name: String = other.host().chars().take(MAX_SHOWN_CHARS).collect();
                let error = Problem::new(421, "host_not_allowed", format!("the host `{name}` is not served here"));
                Err(error
                    .help(format!("start the server with `--allow-host {name}` if it is a name of this server"))
                    .closing())
            }
        }
    }
}

/// Returns the host in lower case, without a trailing dot.
fn normalize(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

/// Middleware that rejects requests for hosts that are not allowed.
pub(super) async fn check_host(State(app): State<Arc<App>>, request: Request<Body>, next: Next) -> Response {
    match app.hosts.check(request.headers(), request.uri().authority()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed<'h>(listen: &str, hosts: &[&'h str]) -> Vec<&'h str> {
        let allowed = AllowedHosts::new(listen.parse().unwrap(), &["models.example.org".to_owned()]);
        let passes = |host: &&&str| {
            let headers = [(HOST, host.parse().unwrap())].into_iter().collect();
            allowed.check(&headers, None).is_ok()
        };
        hosts.iter().filter(passes).copied().collect()
    }

    #[test]
    fn loopback_the_listen_address_and_named_hosts_are_allowed() {
        let good = [
            "localhost",
            "LocalHost:8080",
            "localhost.",
            "127.0.0.1:80",
            "127.9.9.9",
            "[::1]:8080",
            "[::ffff:127.0.0.1]",
            "192.0.2.7:8080",
            "models.example.org",
            "MODELS.example.org.:443",
        ];
        let bad = [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "192.0.2.8",
            "x@localhost",
            "localhost/x",
            "evil.models.example.org",
            "[::2]",
        ];
        assert_eq!(allowed("192.0.2.7:8080", &good), good);
        assert_eq!(allowed("192.0.2.7:8080", &bad), [""; 0]);
        // A server that listens on an unspecified address cannot enumerate its IP addresses, and accepts every IP
        // address. DNS rebinding needs a name, not an address.
        assert_eq!(allowed("0.0.0.0:8080", &bad), ["192.0.2.8", "[::2]"]);
    }
}
