//! Files that pages load, in the binary, each under a name that changes with its content, so that
//! browsers may keep it for ever. Serve `/assets/{file}` from [`find`].

use std::sync::LazyLock;

/// May be sent with every asset: another content has another name.
pub const CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

pub struct Asset {
    /// As we call it: `cairn.css`.
    pub name: &'static str,
    /// As the browser asks for it: `cairn.0f3a….css`.
    pub file: String,
    pub content_type: &'static str,
    pub bytes: &'static [u8],
}

impl Asset {
    pub fn href(&self) -> String {
        format!("/assets/{}", self.file)
    }

    fn new(name: &'static str, content_type: &'static str, bytes: &'static [u8]) -> Self {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let file = format!("{stem}.{:016x}.{ending}", fingerprint(bytes));
        Self { name, file, content_type, bytes }
    }
}

/// Every asset there is.
pub fn all() -> &'static [Asset] {
    &ASSETS
}

/// By the file name in the URL, fingerprint and all.
pub fn find(file: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.file == file)
}

/// The link to an asset by the name that we call it. Only templates ask, and the gallery has them all.
pub(crate) fn href(name: &str) -> String {
    let asset = ASSETS.iter().find(|asset| asset.name == name);
    asset.unwrap_or_else(|| panic!("no asset is called {name}")).href()
}

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    vec![
        Asset::new("cairn.css", CSS, STYLESHEET.as_bytes()),
        Asset::new("cairn.js", JS, include_bytes!("../assets/cairn.js")),
        Asset::new("htmx.js", JS, include_bytes!("../assets/vendor/htmx/htmx.min.js")),
        Asset::new("docs.css", CSS, include_bytes!("../assets/css/docs.css")),
        Asset::new("docs.js", JS, include_bytes!("../assets/docs.js")),
        Asset::new("favicon.svg", "image/svg+xml", include_bytes!("../assets/favicon.svg")),
        Asset::new("rapidoc.js", JS, include_bytes!("../assets/vendor/rapidoc/rapidoc-min.js")),
    ]
});

/// In order: what a later file says wins.
const STYLESHEET: &str = concat!(
    include_str!("../assets/css/tokens.css"),
    include_str!("../assets/css/base.css"),
    include_str!("../assets/css/frame.css"),
    include_str!("../assets/css/parts.css"),
    include_str!("../assets/css/lists.css"),
    include_str!("../assets/css/memory.css"),
    include_str!("../assets/css/overview.css"),
    include_str!("../assets/css/search.css"),
    include_str!("../assets/css/code.css"),
    include_str!("../assets/css/runs.css"),
    include_str!("../assets/css/deletion.css"),
    include_str!("../assets/css/review.css"),
    include_str!("../assets/css/govern.css"),
    include_str!("../assets/css/door.css"),
    include_str!("../assets/css/guide.css"),
);

/// FNV-1a: tells contents apart for caches; it guards nothing.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asset_is_found_by_its_fingerprinted_name_only() {
        let css = &all()[0];
        assert_eq!(find(&css.file).map(|found| found.name), Some("cairn.css"));
        assert!(find("cairn.css").is_none());
        assert_eq!(href("cairn.css"), css.href());
    }

    #[test]
    fn our_own_files_call_nobody() {
        for asset in all().iter().filter(|asset| !["rapidoc.js", "htmx.js"].contains(&asset.name)) {
            let text = String::from_utf8_lossy(asset.bytes);
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("://") && !text.contains("@import"), "{} loads from afar", asset.name);
        }
    }
}
