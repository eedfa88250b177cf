//! The parts of the engine, each on what it was made for.

use super::super::{commands, corrections, log::Log, outcome, shell};
use super::*;

fn named(line: &str) -> Vec<String> {
    shell::parts(line).iter().filter_map(commands::recognised).map(|known| format!("{}:{}", known.purpose.word(), known.name)).collect()
}

#[test]
fn commands_have_one_name_whatever_they_are_run_on() {
    let cases = [
        ("cargo test -p api parser::tests -- --nocapture", "test:cargo test"),
        ("cargo +nightly --locked nextest run", "test:cargo nextest"),
        ("cd server && RUST_LOG=debug cargo build --release 2>&1 | tail -5", "build:cargo build"),
        ("timeout 300 nice -n 10 cargo clippy --all-targets", "lint:cargo clippy"),
        ("npm test", "test:npm test"),
        ("npm run test:unit -- src/a.test.ts", "test:npm run test:unit"),
        ("npm --prefix web run build", "build:npm run build"),
        ("pnpm -F web lint", "lint:pnpm lint"),
        ("pnpm --filter @shop/api exec vitest run src/x", "test:pnpm exec vitest"),
        ("yarn dev", "run:yarn dev"),
        ("npx jest --coverage", "test:npx jest"),
        ("./node_modules/.bin/eslint src", "lint:eslint"),
        ("make -C backend test", "test:make test"),
        ("make", "build:make"),
        ("just check", "lint:just check"),
        ("pytest -q tests/test_a.py::test_b", "test:pytest"),
        ("python3 -m pytest tests", "test:python3 -m pytest"),
        ("uv run ruff format .", "format:uv run ruff format"),
        ("poetry run mypy src", "lint:poetry run mypy"),
        ("python manage.py migrate --noinput", "migrate:python manage.py migrate"),
        ("go test ./... -run TestX", "test:go test"),
        ("./gradlew :app:test --tests Foo", "test:./gradlew :app:test"),
        ("mvn -q clean verify -DskipITs", "test:mvn clean verify"),
        ("dotnet ef database update", "migrate:dotnet ef"),
        ("bundle exec rspec spec/models", "test:bundle exec rspec"),
        ("bundle exec rake db:migrate", "migrate:bundle exec rake db:migrate"),
        ("php artisan test", "test:php artisan test"),
        ("vendor/bin/phpunit", "test:phpunit"),
        ("mix test test/a_test.exs:12", "test:mix test"),
        ("docker compose -f dev.yml up -d", "run:docker compose up"),
        ("docker compose run --rm web pytest -q", "test:docker compose run web pytest"),
        ("terraform -chdir=infra validate", "lint:terraform validate"),
    ];
    for (line, name) in cases {
        assert_eq!(named(line), [name], "{line}");
    }
    assert_eq!(named("cargo fmt && cargo clippy && cargo test"), ["format:cargo fmt", "lint:cargo clippy", "test:cargo test"]);
    for line in [
        "ls -la",
        "git commit -m 'cargo test'",
        "echo make test",
        "npm install",
        "pip install pytest",
        "cat <<EOF\ncargo test\nEOF",
        "",
        "python script.py",
    ] {
        assert_eq!(named(line), [""; 0], "{line}");
    }
}

fn corrects(prompt: &str) -> Vec<String> {
    let event = |text: &str| {
        let mut event = log!("rust-fix").remove(0);
        event.text = Some(text.to_owned());
        event
    };
    let events = [event("Build the thing as we discussed"), event(prompt)];
    corrections::findings(&Log::read(&run(&events, "/"))).into_iter().map(|finding| finding.content).collect()
}

#[test]
fn corrections_are_told_from_talk() {
    for said in [
        "no, use the builder",
        "No, don't mock the database",
        "Never commit to main directly.",
        "always use `let else` for early returns",
        "please always add a changelog line",
        "remember that CI runs on Node 18",
        "stop adding docstrings to private functions",
        "we use sqlx, not diesel",
        "use spaces instead of tabs",
        "i prefer short functions",
        "From now on write tests first",
        "tests should never sleep",
        "ok, and don't use emojis in commit messages",
        "I told you to keep the imports sorted",
        "Bitte immer auf Deutsch antworten",
        "merk dir dass die API v2 heißt",
        "do not touch files under vendor/",
    ] {
        assert_eq!(corrects(said), [said], "{said}");
    }
    for said in [
        "never mind",
        "Never mind, use the old one",
        "don't worry about it",
        "it always fails on my machine",
        "The build never works on Windows",
        "why do you never ask?",
        "don't commit yet",
        "don't do that",
        "don't run it right now",
        "no problem",
        "no idea what happened",
        "No.",
        "I don't think so, look again",
        "we don't have a staging server",
        "fix the login page",
        "Should we always retry?",
        "can you stop?",
        "```\nnever do this\n```",
        "> always quote\n",
        "    always indented code",
        "<system-reminder>\nalways be kind to files\n</system-reminder>",
        "always",
        "I don't know why it fails",
        "This session is being continued from a previous conversation.\nalways run the tests before a commit",
        "$ never a command here",
    ] {
        assert_eq!(corrects(said), [""; 0], "{said}");
    }
}

#[test]
fn the_task_itself_is_no_correction() {
    let mut first = log!("rust-fix").remove(0);
    for (text, count) in [
        ("Add a page. Don't use a framework for it.", 0),
        ("No, use the other page and fix it", 0),
        ("Add a page. Always answer in French.", 1),
    ] {
        first.text = Some(text.to_owned());
        assert_eq!(distil(&run(std::slice::from_ref(&first), "/")).findings.len(), count, "{text}");
    }
}

#[test]
fn the_line_that_tells_is_found() {
    let cases = [
        (
            "   Compiling a v0.1.0\nerror[E0425]: cannot find value `x` in this scope\n --> src/a.rs:1:1\nerror: could not compile `a`",
            "error[E0425]: cannot find value `x` in this scope",
        ),
        ("\u{1b}[31merror\u{1b}[0m: no such command: `tset`\n", "error: no such command: `tset`"),
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nModuleNotFoundError: No module named 'yaml'\n",
            "ModuleNotFoundError: No module named 'yaml'",
        ),
        ("make: *** No rule to make target 'tests'.  Stop.\n", "make: *** No rule to make target 'tests'. Stop."),
        ("npm ERR! code ENOENT\nnpm ERR! Missing script: \"lint\"\nnpm ERR! A complete log of this run\n", "Missing script: \"lint\""),
        ("src/a.ts(3,1): error TS2304: Cannot find name 'foo'.\n", "src/a.ts(3,1): error TS2304: Cannot find name 'foo'."),
        ("something went sideways\n", "something went sideways"),
    ];
    for (output, line) in cases {
        assert_eq!(outcome::telling(output).as_deref(), Some(line));
    }
    assert_eq!(outcome::telling(" \n"), None);
    assert_eq!(
        outcome::same("src/a.rs:31:7: error[E0308] at 0x7f3a: expected 3 got 14"),
        outcome::same("src/a.rs:99:1: error[E0308] at 0x11: expected 2 got 7")
    );
}
