//! Writes every sample page and its assets into a folder, to be opened in a browser:
//! `cargo run -p cairn-web --example gallery -- target/gallery`

use cairn_web::{assets, samples};
use std::{env, fmt::Write, fs, io, path::PathBuf};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    fs::create_dir_all(folder.join("assets"))?;
    for asset in assets::all() {
        fs::write(folder.join("assets").join(&asset.file), asset.bytes)?;
    }
    let mut index = String::from("<!doctype html><title>Gallery</title><ul>");
    for sample in samples::all() {
        let page = sample.html.replace("\"/assets/", "\"assets/");
        fs::write(folder.join(sample.name).with_extension("html"), page)?;
        let _ = write!(index, "<li><a href=\"{0}.html\">{0}</a>", sample.name);
    }
    fs::write(folder.join("index.html"), index)
}
