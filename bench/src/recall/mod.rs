//! How good recall is: questions with known answers, through HTTP, on sets of the form that `bench/sets/README.md` describes.

mod ask;
mod engine;
mod haystack;
mod load;
mod report;
mod score;
mod set;

use crate::{Failure, client::Client, house::House, pgbench};
use ask::{Asked, Summary};
use cairn_server::config::Given;
use report::{Line, Stack};
use set::Set;
use std::path::Path;

struct Wanted {
    folder: String,
    only: Vec<String>,
    haystacks: usize,
    /// Haystacks are moved to the day of their question.
    then: bool,
    ablations: bool,
    misses: bool,
}

pub async fn run(arguments: &[String]) -> Result<bool, Failure> {
    let wanted = wanted(arguments)?;
    let mut sets = set::sets(Path::new(&wanted.folder))?;
    sets.retain(|set| wanted.only.is_empty() || wanted.only.contains(&set.name));
    let mut house = House::with(Given { recall_cache_mb: Some("8192".to_owned()), ..Given::default() }).await?;
    let mut lines = Vec::new();
    for set in &sets {
        lines.push(measure(&mut house, set, wanted.ablations, wanted.misses).await?);
    }
    let mut stacks = Vec::new();
    for set in sets.iter().filter(|set| set.has_haystacks() && wanted.haystacks > 0) {
        eprintln!("{}: each question in its own haystack …", set.name);
        let outcomes = haystack::run(&mut house, set, wanted.haystacks, wanted.then).await?;
        for outcome in outcomes.iter().filter(|outcome| wanted.misses && !outcome.hit) {
            println!("   missed in its haystack [{}]: {}", set.queries[outcome.query].category, set.queries[outcome.query].text);
        }
        stacks.push(Stack {
            set: set.name.clone(),
            questions: outcomes.len(),
            hits: outcomes.iter().filter(|outcome| outcome.hit).count(),
        });
    }
    house.close().await?;
    if wanted.ablations {
        let mut house = House::with(Given { embeddings: Some("off".to_owned()), ..Given::default() }).await?;
        for (set, line) in sets.iter().zip(&mut lines) {
            eprintln!("{}: without vectors …", set.name);
            line.without_vectors = Some(measure(&mut house, set, false, false).await?.summary.hits);
        }
        house.close().await?;
    }
    Ok(report::print(&lines, &stacks))
}

async fn measure(house: &mut House, set: &Set, ablations: bool, misses: bool) -> Result<Line, Failure> {
    eprintln!("{}: {} memories, {} questions …", set.name, set.items.len(), set.queries.len());
    let mut asked = Vec::new();
    let mut engine = ablations.then_some([0; engine::VARIANTS.len()]);
    for (n, group) in set.groups()?.iter().enumerate() {
        let workspace = format!("{}-{n}", set.name.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        let key = house.workspace(&workspace).await?;
        let mut client: Client = house.client(&key).await?;
        let loaded = load::load(&mut client, &workspace, set, &group.items).await?;
        // As autovacuum would have done soon after.
        pgbench::sql(&house.postgres, "analyze").await?;
        let here = ask::ask_all(&mut client, &workspace, set, &group.queries, &loaded).await?;
        if misses {
            here.iter().filter(|one| !one.score.hit).for_each(|one| tell(set, one, &loaded));
        }
        asked.extend(here);
        if let Some(hits) = &mut engine {
            let more = engine::hits(&mut client, &workspace, set, &group.queries, &loaded).await?;
            hits.iter_mut().zip(more).for_each(|(hits, more)| *hits += more);
        }
    }
    Ok(Line { set: set.name.clone(), states: set.has_states(), summary: Summary::of(&asked), engine, without_vectors: None })
}

fn tell(set: &Set, one: &Asked, loaded: &load::Loaded) {
    let short = |text: &str| text.chars().take(160).collect::<String>().replace('\n', " ");
    let query = &set.queries[one.query];
    println!("   {} missed [{}]: {}", set.name, query.category, query.text);
    for item in query.gold.iter().filter_map(|gold| set.items.iter().find(|item| item.id == *gold)) {
        println!("      wanted: {}", short(&item.text));
    }
    if let Some(item) = one.first.and_then(|first| loaded.items(first).first()) {
        println!("      first:  {}", short(&set.items[*item].text));
    }
}

fn wanted(arguments: &[String]) -> Result<Wanted, Failure> {
    let mut wanted =
        Wanted { folder: "bench/sets".to_owned(), only: Vec::new(), haystacks: usize::MAX, then: false, ablations: true, misses: false };
    for argument in arguments {
        match argument.split_once('=').unwrap_or((argument, "")) {
            ("--haystack", count) => wanted.haystacks = count.parse().map_err(|_| "--haystack=N: how many questions, 0 for none")?,
            ("--only", names) => wanted.only = names.split(',').map(str::to_owned).collect(),
            ("--asked-then", _) => wanted.then = true,
            ("--no-ablations", _) => wanted.ablations = false,
            ("--misses", _) => wanted.misses = true,
            (option, _) if option.starts_with("--") => {
                return Err(format!("{option}: not one of --haystack=N --asked-then --only=SET,… --no-ablations --misses").into());
            }
            _ => wanted.folder.clone_from(argument),
        }
    }
    Ok(wanted)
}
