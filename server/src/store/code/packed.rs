//! Symbols of a file in a row's one column, and files of a part in another: lengths and bytes.

use crate::model::code::{File, Symbol};

/// The symbols alone: path and digest have columns of their own.
pub fn pack(file: &File) -> Vec<u8> {
    let size = |one: &Symbol| 64 + one.name.len() + one.signature.len() + one.body.len() + one.shingles.len() * 4;
    let mut bytes = Vec::with_capacity(8 + file.symbols.iter().map(size).sum::<usize>());
    put_symbols(&mut bytes, file);
    bytes
}

pub fn unpack(path: String, sha256: String, bytes: &[u8]) -> Option<File> {
    let (parsed, symbols) = take_symbols(&mut &bytes[..])?;
    Some(File { path, sha256, parsed, symbols })
}

pub fn pack_all(files: &[File]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for file in files {
        put(&mut bytes, &file.path);
        put(&mut bytes, &file.sha256);
        put_symbols(&mut bytes, file);
    }
    bytes
}

pub fn unpack_all(mut bytes: &[u8]) -> Option<Vec<File>> {
    let mut files = Vec::new();
    while !bytes.is_empty() {
        let (path, sha256) = (take(&mut bytes)?, take(&mut bytes)?);
        let (parsed, symbols) = take_symbols(&mut bytes)?;
        files.push(File { path, sha256, parsed, symbols });
    }
    Some(files)
}

fn put_symbols(bytes: &mut Vec<u8>, file: &File) {
    bytes.push(u8::from(file.parsed));
    put_number(bytes, file.symbols.len());
    for one in &file.symbols {
        for text in [&one.name, &one.kind, &one.signature, &one.body] {
            put(bytes, text);
        }
        bytes.extend(one.start.to_le_bytes());
        bytes.extend(one.end.to_le_bytes());
        put_number(bytes, one.shingles.len());
        one.shingles.iter().for_each(|shingle| bytes.extend(shingle.to_le_bytes()));
    }
}

fn take_symbols(bytes: &mut &[u8]) -> Option<(bool, Vec<Symbol>)> {
    let (parsed, rest) = bytes.split_first()?;
    *bytes = rest;
    let count = take_number(bytes)?;
    let mut symbols = Vec::with_capacity((count as usize).min(bytes.len() / 16));
    for _ in 0..count {
        let (name, kind, signature, body) = (take(bytes)?, take(bytes)?, take(bytes)?, take(bytes)?);
        let (start, end, shingles) = (take_number(bytes)?, take_number(bytes)?, take_number(bytes)?);
        let shingles = (0..shingles).map(|_| take_number(bytes)).collect::<Option<_>>()?;
        symbols.push(Symbol { name, kind, signature, body, start, end, shingles });
    }
    Some((*parsed == 1, symbols))
}

fn put(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend(u16::try_from(text.len()).unwrap_or_default().to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn take(bytes: &mut &[u8]) -> Option<String> {
    let (length, rest) = bytes.split_first_chunk::<2>()?;
    let (text, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

fn put_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend(u32::try_from(number).unwrap_or_default().to_le_bytes());
}

fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn symbol() -> impl Strategy<Value = Symbol> {
        let line = 0..100_000_u32;
        ("\\PC{1,20}", "[a-z]{1,8}", "[0-9a-f]{16,64}", "[0-9a-f]{16,64}", line.clone(), line, prop::collection::vec(any::<u32>(), 0..64))
            .prop_map(|(name, kind, signature, body, start, end, shingles)| Symbol { name, kind, signature, body, start, end, shingles })
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_out_as_it_was(
            files in prop::collection::vec(("\\PC{1,20}", "[0-9a-f]{64}", prop::option::of(prop::collection::vec(symbol(), 0..5))), 0..4),
        ) {
            let files: Vec<File> = files.into_iter().map(|(path, sha256, symbols)| File::of(path, sha256, symbols)).collect();
            prop_assert_eq!(unpack_all(&pack_all(&files)), Some(files.clone()));
            for file in files {
                prop_assert_eq!(unpack(file.path.clone(), file.sha256.clone(), &pack(&file)), Some(file));
            }
        }

        #[test]
        fn anything_else_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack_all(&bytes);
        }
    }
}
