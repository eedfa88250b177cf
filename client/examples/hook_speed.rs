//! What a hook costs: the median of 1,000 calls of `cairn hook claude-code`, beside as many of `/bin/true`, with a
//! server that answers and with none. More than five of those fails. `cargo run --release -p cairn-client --example hook_speed`

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

const CALLS: usize = 1000;
/// So many `/bin/true` a hook may cost.
const BAR: f64 = 5.0;
const PAYLOAD: &str = r#"{"session_id":"speed","transcript_path":"/tmp/t.jsonl","cwd":"/","permission_mode":"default","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"pytest -q"},"tool_response":{"stdout":"12 passed in 0.31s","stderr":"","interrupted":false},"tool_use_id":"t"}"#;

fn main() -> ExitCode {
    let here = env::current_exe().expect("a path");
    let program = here.parent().and_then(Path::parent).expect("target/release").join("cairn");
    assert!(program.exists(), "build it first: cargo build --release -p cairn-client");
    let up = serve();
    let mut worst = 0.0_f64;
    for (name, url) in [("server up", up.as_str()), ("server down", "http://127.0.0.1:1")] {
        let home = env::temp_dir().join(format!("cairn-speed-{}-{}", std::process::id(), name.replace(' ', "-")));
        fs::create_dir_all(&home).expect("a home");
        let hook = |command: &mut Command| {
            command.args(["hook", "claude-code"]).env("HOME", &home).env("CAIRN_URL", url).env("CAIRN_KEY", "cairn_k_s");
        };
        // In turns, so that both meet the same machine.
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..CALLS {
            theirs.push(call(Path::new("/bin/true"), |_| {}));
            ours.push(call(&program, hook));
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!("{name}: hook {ours:?}, /bin/true {theirs:?}, ratio {ratio:.2} (bar {BAR})");
        worst = worst.max(ratio);
        fs::remove_dir_all(&home).expect("cleared");
    }
    ExitCode::from(u8::from(worst > BAR))
}

fn call(program: &Path, more: impl Fn(&mut Command)) -> Duration {
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).env_clear();
    more(&mut command);
    let began = Instant::now();
    let mut child = command.spawn().expect("a process");
    let _ = child.stdin.take().expect("stdin").write_all(PAYLOAD.as_bytes());
    assert!(child.wait().expect("an end").success());
    began.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Says yes to everything.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream));
        }
    });
    url
}

fn answer(mut stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().ok()?;
            }
            if line.trim().is_empty() {
                break;
            }
        }
        reader.read_exact(&mut vec![0; length]).ok()?;
        let body = r#"{"id":"s","workspaces":[{"slug":"w"}],"appended":1,"repeated":0}"#;
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).ok()?;
    }
}
