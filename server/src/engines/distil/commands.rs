//! Which commands build, test, run, check, format or migrate a project, and what each is called whatever it was run on.

use super::{shell::Simple, text::each};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Purpose {
    Test,
    Build,
    Lint,
    Run,
    Migrate,
    Format,
}

impl Purpose {
    pub fn word(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Build => "build",
            Self::Lint => "lint",
            Self::Run => "run",
            Self::Migrate => "migrate",
            Self::Format => "format",
        }
    }

    /// "Run the tests with …".
    pub fn title(self) -> &'static str {
        match self {
            Self::Test => "Run the tests with",
            Self::Build => "Build with",
            Self::Lint => "Check the code with",
            Self::Run => "Start it with",
            Self::Migrate => "Migrate with",
            Self::Format => "Format with",
        }
    }

    fn named(word: &str) -> Option<Self> {
        [Self::Test, Self::Build, Self::Lint, Self::Run, Self::Migrate, Self::Format].into_iter().find(|purpose| purpose.word() == word)
    }
}

/// A command that was recognised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    pub purpose: Purpose,
    /// Its name without paths, filters and flags: "cargo test".
    pub name: String,
    /// What was left out of the name.
    pub rest: Vec<String>,
}

/// Programs, and what their subcommands are for; `*` is for any.
const TOOLS: &[(&str, &str)] = &[
    (
        "cargo",
        "test=test nextest=test build=build check=build doc=build clippy=lint deny=lint audit=lint fmt=format run=run bench=run \
         sqlx=migrate",
    ),
    ("go", "test=test build=build generate=build install=build vet=lint run=run fmt=format"),
    ("dotnet", "test=test build=build publish=build run=run watch=run format=format ef=migrate"),
    ("mix", "test=test compile=build credo=lint dialyzer=lint format=format ecto.migrate=migrate phx.server=run run=run"),
    ("swift", "test=test build=build run=run"),
    ("zig", "test=test build=build run=run fmt=format"),
    ("deno", "test=test lint=lint check=lint fmt=format run=run compile=build"),
    ("bazel", "test=test build=build run=run"),
    ("flutter", "test=test build=build run=run analyze=lint"),
    ("dart", "test=test compile=build run=run analyze=lint format=format"),
    ("stack", "test=test build=build run=run"),
    ("cabal", "test=test build=build run=run"),
    ("sbt", "test=test compile=build run=run"),
    ("lein", "test=test compile=build run=run"),
    ("rails", "test=test db:migrate=migrate server=run s=run"),
    ("artisan", "test=test migrate=migrate serve=run"),
    ("manage.py", "test=test migrate=migrate runserver=run check=lint"),
    ("terraform", "validate=lint plan=build apply=run test=test fmt=format"),
    ("tofu", "validate=lint plan=build apply=run test=test fmt=format"),
    ("helm", "lint=lint template=build test=test"),
    ("docker", "build=build"),
    ("docker compose", "up=run build=build"),
    ("docker-compose", "up=run build=build"),
    ("ruff", "check=lint format=format *=lint"),
    ("biome", "check=lint lint=lint format=format ci=lint"),
    ("vite", "build=build dev=run preview=run *=run"),
    ("next", "build=build dev=run start=run lint=lint"),
    ("astro", "build=build dev=run check=lint"),
    ("playwright", "test=test"),
    ("cypress", "run=test"),
    ("prisma", "migrate=migrate generate=build db=migrate"),
    ("drizzle-kit", "migrate=migrate push=migrate generate=build"),
    ("alembic", "upgrade=migrate"),
    ("sqlx", "migrate=migrate"),
    ("diesel", "migration=migrate"),
    ("goose", "up=migrate"),
    ("dbmate", "up=migrate migrate=migrate"),
    ("flyway", "migrate=migrate"),
    ("pre-commit", "run=lint"),
    ("golangci-lint", "run=lint"),
    ("cmake", "*=build"),
    ("meson", "test=test compile=build"),
    ("symfony", "serve=run"),
];

/// Programs that are for one thing.
const SINGLE: &[(Purpose, &str)] = &[
    (Purpose::Test, "pytest py.test tox nox jest vitest mocha ava rspec phpunit pest ctest unittest cucumber behave bats busted"),
    (
        Purpose::Lint,
        "eslint tsc vue-tsc mypy pyright flake8 pylint rubocop phpstan psalm phpcs shellcheck hadolint stylelint clang-tidy yamllint \
         sqlfluff actionlint bandit",
    ),
    (Purpose::Format, "prettier black isort gofmt goimports rustfmt clang-format shfmt php-cs-fixer"),
    (Purpose::Build, "webpack rollup esbuild tsup ninja xcodebuild mkdocs"),
    (Purpose::Run, "uvicorn gunicorn flask nodemon"),
];

/// Runners of scripts and targets that a project names itself.
const SCRIPTS: &str = "npm|pnpm|yarn|bun|make|gmake|just|task|rake|composer|turbo|nx|gradle|./gradlew|mvn|./mvnw|mise";
/// What the name of a script or target says it is for; the first that fits.
const TARGETS: &[(Purpose, &str)] = &[
    (Purpose::Migrate, "migrate migration migrations"),
    (Purpose::Format, "format fmt prettier spotlessapply"),
    (Purpose::Lint, "lint check typecheck types tsc clippy eslint vet detekt checkstyle"),
    (Purpose::Test, "test tests spec e2e t verify unit integration itest"),
    (Purpose::Build, "build compile bundle package dist assemble all install"),
    (Purpose::Run, "dev start serve run up bootrun"),
];
/// `npm install` fetches what is needed; it builds nothing.
const FETCHES: &[&str] = &["install", "add", "ci", "i", "update", "upgrade", "remove", "require", "sync"];

/// Before a tool, as part of how it is run here; a `?` takes any word, which is not part of the name.
const RUNNERS: &str = "uv run|poetry run|pipenv run|pdm run|hatch run|rye run|bundle exec|npx|bunx|npm exec|pnpm exec|pnpm dlx|\
    yarn exec|python -m|python3 -m|python|python3|php|docker compose exec|docker compose run|docker-compose exec|docker-compose run|\
    docker exec ?|mise exec|nix develop|coverage run -m";
/// Flags that take the next word with them.
const TAKING: &str = "-C|-f|-F|-p|-w|-c|-u|-e|-pl|--prefix|--file|--filter|--dir|--cwd|--workspace|--project|--manifest-path|--profile";

/// Programs that only look around, or move files about: that they fail says nothing of the project.
const LOOKING: &str = " ls cat head tail grep rg ag find fd git cd pwd echo printf which type test [ wc sed awk sort uniq diff tree \
    stat file du df ps kill pkill sleep mkdir rm cp mv touch chmod ln curl wget ssh scp jq xargs less more env export source . true \
    false gh date id whoami lsof read set man history ";

pub fn recognised(part: &Simple) -> Option<Known> {
    let words: Vec<&str> = part.words.iter().map(String::as_str).collect();
    let (runner, inner) = runner(&words);
    let known = tool(inner).or_else(|| script(inner))?;
    let name = if runner.is_empty() { known.name } else { format!("{runner} {}", known.name) };
    Some(Known { name, ..known })
}

pub fn only_looks(part: &Simple) -> bool {
    part.words.first().is_none_or(|program| LOOKING.contains(&format!(" {} ", base(program))))
}

/// Whether a command brings what others need: packages, a schema, generated code.
pub fn provides(part: &Simple) -> bool {
    part.words
        .iter()
        .take(4)
        .skip(1)
        .any(|word| FETCHES.contains(&word.as_str()) || matches!(word.as_str(), "migrate" | "generate" | "up" | "pull" | "db:migrate"))
}

/// The runner before a tool, and the rest of the words.
fn runner<'a>(words: &'a [&'a str]) -> (String, &'a [&'a str]) {
    for runner in each(RUNNERS) {
        let Some(rest) = after(runner, words) else { continue };
        // A service of a composition stands between the runner and the tool.
        let service = usize::from(runner.starts_with("docker") && !runner.ends_with('?') && rest.len() > 1);
        let named = [&[runner.trim_end_matches(" ?")], &rest[..service]].concat().join(" ");
        let rest = &rest[service..];
        let bare_python = runner.starts_with("python") && !runner.ends_with("-m");
        if !(bare_python && rest.first().is_none_or(|word| base(word) != "manage.py")) {
            return (named, rest);
        }
    }
    (String::new(), words)
}

/// What comes after a runner, if the words begin with it; its flags may stand anywhere in it.
fn after<'a>(runner: &str, mut words: &'a [&'a str]) -> Option<&'a [&'a str]> {
    for part in runner.split(' ') {
        if !part.starts_with('-') {
            words = &words[flags(words)..];
        }
        let (first, rest) = words.split_first()?;
        (part == "?" || part == *first).then_some(())?;
        words = rest;
    }
    words = &words[flags(words)..];
    (!words.is_empty()).then_some(words)
}

fn tool(words: &[&str]) -> Option<Known> {
    let (program, after) = words.split_first()?;
    let program = base(program);
    let joined = after.first().map(|second| format!("{program} {second}"));
    let two =
        joined.as_deref().and_then(|both| TOOLS.iter().find(|(name, _)| *name == both)).map(|(name, subs)| (*name, *subs, &after[1..]));
    let found = two.or_else(|| TOOLS.iter().find(|(name, _)| *name == program).map(|(name, subs)| (*name, *subs, after)));
    if let Some((name, subs, after)) = found {
        let at = flags(after);
        let sub = after.get(at).copied().unwrap_or("");
        let purpose = |wanted: &str| {
            subs.split(' ')
                .find_map(|entry| entry.split_once('=').filter(|(sub, _)| *sub == wanted).and_then(|(_, word)| Purpose::named(word)))
        };
        if let Some(purpose) = purpose(sub) {
            let rest = after[..at].iter().chain(&after[at + 1..]).map(|word| (*word).to_owned()).collect();
            return Some(Known { purpose, name: format!("{name} {sub}"), rest });
        }
        return purpose("*").map(|purpose| Known { purpose, name: name.to_owned(), rest: owned(after) });
    }
    let (purpose, _) = SINGLE.iter().find(|(_, names)| names.split(' ').any(|name| name == program))?;
    Some(Known { purpose: *purpose, name: program.to_owned(), rest: owned(after) })
}

/// A script or target, by what its name says.
fn script(words: &[&str]) -> Option<Known> {
    let (program, after) = words.split_first()?;
    each(SCRIPTS).any(|script| script == *program).then_some(())?;
    let mut named: Vec<&str> = vec![program];
    let mut rest = Vec::new();
    let mut purpose = None;
    let mut taken = false;
    for word in after {
        let is_name = !word.starts_with('-') && !word.contains(['/', '=']) && !taken && named.len() < 4;
        taken = takes(word) || (taken && !word.starts_with('-') && purpose.is_some());
        if *word == "--" || !is_name {
            // What follows two dashes goes to the script.
            rest.push((*word).to_owned());
            taken |= *word == "--";
            continue;
        }
        if FETCHES.contains(word) && !matches!(*program, "make" | "gmake" | "mvn" | "./mvnw" | "./gradlew" | "gradle" | "just" | "task") {
            return None;
        }
        if matches!(*word, "run" | "run-script" | "exec")
            && purpose.is_none()
            && named.len() == 1
            && !matches!(*program, "make" | "gmake" | "just" | "task")
        {
            named.push(word);
            continue;
        }
        match target(word) {
            Some(found) => purpose = purpose.or(Some(found)),
            None if purpose.is_some() || !matches!(*word, "clean") => {
                rest.push((*word).to_owned());
                continue;
            }
            None => {}
        }
        named.push(word);
    }
    if named.len() == 1 && rest.is_empty() && matches!(*program, "make" | "gmake") {
        purpose = Some(Purpose::Build);
    }
    Some(Known { purpose: purpose?, name: named.join(" "), rest })
}

fn target(name: &str) -> Option<Purpose> {
    let name = name.to_lowercase();
    let pieces: Vec<&str> = name.split([':', '-', '_', '.']).collect();
    TARGETS.iter().find(|(_, words)| words.split(' ').any(|word| pieces.contains(&word))).map(|(purpose, _)| *purpose)
}

/// How many words at the start are flags, with what they take.
fn flags(words: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
        at += 1 + usize::from(takes(word));
    }
    at.min(words.len())
}

fn takes(flag: &str) -> bool {
    each(TAKING).any(|taking| taking == flag)
}

fn base(program: &str) -> &str {
    if matches!(program, "./gradlew" | "./mvnw") { program } else { program.rsplit('/').next().unwrap_or(program) }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
