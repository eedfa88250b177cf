//! Just enough of an HTML reader to see which tags a browser would see.

const VOID: [&str; 6] = ["meta", "link", "input", "img", "br", "!doctype"];

#[derive(Clone, Debug, Default)]
pub struct Tag {
    /// In lower case, with a leading slash when it closes.
    pub name: String,
    pub attributes: Vec<(String, String)>,
    closed: bool,
}

impl Tag {
    pub fn has(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|(name, _)| name == attribute)
    }

    pub fn get(&self, attribute: &str) -> &str {
        self.attributes.iter().find(|(name, _)| name == attribute).map_or("", |(_, value)| value)
    }
}

pub fn tags(html: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (tag, after) = tag(&rest[start + 1..]);
        tags.push(tag);
        rest = after;
    }
    tags
}

/// Each element of that name, from its opening tag to the last one before its close.
pub fn inside<'a>(tags: &'a [Tag], name: &str) -> Vec<&'a [Tag]> {
    let close = format!("/{name}");
    let starts = (0..tags.len()).filter(|place| tags[*place].name == name);
    let end = |start: usize| tags[start..].iter().position(|tag| tag.name == close).expect("it closes");
    starts.map(|start| &tags[start..start + end(start)]).collect()
}

/// The first tag that closes what is not open, or what stays open at the end.
pub fn unbalanced(tags: &[Tag]) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    for tag in tags.iter().filter(|tag| !tag.closed && !VOID.contains(&tag.name.as_str())) {
        match tag.name.strip_prefix('/') {
            Some(name) if open.last() == Some(&name) => drop(open.pop()),
            Some(_) => return Some(format!("</{}> in {open:?}", &tag.name[1..])),
            None => open.push(&tag.name),
        }
    }
    open.last().map(|name| (*name).to_owned())
}

fn tag(text: &str) -> (Tag, &str) {
    let end = text.find(|c: char| c.is_whitespace() || c == '>').expect("a tag ends");
    let mut tag = Tag { name: text[..end].trim_end_matches('/').to_lowercase(), ..Tag::default() };
    let mut rest = text[end..].trim_start();
    loop {
        if let Some(after) = rest.strip_prefix('>') {
            return (tag, after);
        }
        if let Some(after) = rest.strip_prefix("/>") {
            tag.closed = true;
            return (tag, after);
        }
        let end = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c)).expect("a name ends");
        let name = rest[..end].to_lowercase();
        let (value, after) = value(&rest[end..]);
        tag.attributes.push((name, value));
        rest = after.trim_start();
    }
}

fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix("=\"") else {
        assert!(!text.starts_with('='), "an attribute without quotes: {text:.40}");
        return (String::new(), text);
    };
    let (value, after) = quoted.split_once('"').expect("a quote ends");
    (value.to_owned(), after)
}
