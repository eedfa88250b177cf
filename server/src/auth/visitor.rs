//! Where a request comes from: the address to slow down, and what a person sees in the list of their sign-ins.

use crate::App;
use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{HeaderMap, header, request::Parts},
};
use std::{
    convert::Infallible,
    net::{IpAddr, Ipv6Addr, SocketAddr},
};

#[derive(Clone, Debug)]
pub struct Visitor {
    pub address: Option<IpAddr>,
    pub user_agent: String,
}

impl Visitor {
    pub fn of(parts: &Parts) -> Self {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical());
        let user_agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        Self { address: behind_proxy(peer, &parts.headers), user_agent: user_agent.chars().take(300).collect() }
    }

    pub fn address(&self) -> String {
        self.address.map_or_else(String::new, |address| address.to_string())
    }

    /// Whom failures are counted against. A whole IPv6 network of the smallest size is one visitor: it costs
    /// nothing to have 2⁶⁴ addresses there.
    pub fn network(&self) -> String {
        match self.address {
            Some(IpAddr::V6(address)) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).to_string(),
            _ => self.address(),
        }
    }
}

impl FromRequestParts<App> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}

/// A proxy of ours says whom it speaks for; anyone else could say anything.
fn behind_proxy(peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back().and_then(|value| value.to_str().ok());
    let last = forwarded.and_then(|all| all.rsplit(',').next()).map(str::trim).and_then(address);
    match peer {
        Some(peer) if is_near(peer) => last.or(Some(peer)),
        _ => peer,
    }
}

fn address(text: &str) -> Option<IpAddr> {
    text.parse::<IpAddr>()
        .or_else(|_| text.parse::<SocketAddr>().map(|with_port| with_port.ip()))
        .ok()
        .map(|address| address.to_canonical())
}

fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Visitor, behind_proxy};
    use axum::http::{HeaderMap, HeaderValue};

    fn seen(peer: &str, forwarded: &'static str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", HeaderValue::from_static(forwarded));
        behind_proxy(peer.parse().ok(), &headers).map_or_else(String::new, |address| address.to_string())
    }

    #[test]
    fn only_a_near_proxy_is_believed_and_only_its_own_word() {
        assert_eq!(seen("127.0.0.1", "1.1.1.1, 203.0.113.9"), "203.0.113.9");
        assert_eq!(seen("10.1.2.3", "203.0.113.9:4711"), "203.0.113.9");
        assert_eq!(seen("203.0.113.1", "198.51.100.7"), "203.0.113.1");
        assert_eq!(seen("127.0.0.1", "unknown"), "127.0.0.1");
    }

    #[test]
    fn neighbours_in_one_small_network_are_one_visitor() {
        let visitor = |address: &str| Visitor { address: address.parse().ok(), user_agent: String::new() };
        assert_eq!(visitor("2001:db8::1").network(), visitor("2001:db8::ffff:1").network());
        assert_ne!(visitor("2001:db8::1").network(), visitor("2001:db8:0:1::1").network());
        assert_eq!(visitor("192.0.2.1").network(), "192.0.2.1");
    }
}
