// Every page of the dashboard, by name, with something on it: in a house with the demo. Whoever adds a page adds a line.

/** The pages of a workspace, as its admin sees them. `rest` speaks as that admin. */
export async function pages(rest, slug = "coding") {
  const of = (path) => rest("GET", `/workspaces/${slug}/${path}`);
  const first = async (path, pick = () => true) => (await of(path)).data.find(pick) ?? {};
  const [memory, decision, stale, session, receipt, pending, executed, proposal, conflict, dream, agent] = await Promise.all([
    first("memories?q=tests", (one) => one.version > 1),
    first("memories?kind=decision"),
    first("memories?freshness=suspect"),
    first("sessions?state=ended"),
    first("receipts", (one) => one.items?.length !== 0),
    first("deletion-requests", (one) => one.state !== "executed"),
    first("deletion-requests?state=executed"),
    first("proposals"),
    first("conflicts"),
    first("dreams"),
    first("agents"),
  ]);
  const [picture] = (await of("code/snapshots")).data;
  const at = (path) => `/w/${slug}/${path}`;
  const code = (path) => picture && at(`code?repo=${encodeURIComponent(picture.repo)}&${path}`);
  const all = {
    workspaces: "/workspaces",
    overview: at("overview"),
    search: at("search"),
    found: at("search?q=how+do+we+sign+service+tokens%3F"),
    then: at("search?q=deploys&as_of=2020-01-01"),
    memories: at("memories"),
    filtered: at("memories?kind=decision"),
    memory: memory.id && at(`memories/${memory.id}?from=1&to=2`),
    written: memory.id && at(`memories/${memory.id}?view=source`),
    decision: decision.id && at(`memories/${decision.id}`),
    suspect: stale.id && at(`memories/${stale.id}`),
    decisions: at("decisions"),
    superseded: at("decisions?state=superseded"),
    code: at("code"),
    folder: code("path=src%2Fauth%2F"),
    file: code("path=src%2Fauth%2Ftokens.rs"),
    symbol: code("path=src%2Fsettlement%2Fretry.rs&symbol=retry"),
    branched: code("branch=rotate-keys&path=src%2Fauth%2Ftokens.rs&symbol=verify"),
    lost: code("path=src%2Fupstream%2Flegacy.rs"),
    doubted: at("code/review"),
    sessions: at("sessions"),
    session: session.id && at(`sessions/${session.id}`),
    tasks: at("tasks"),
    task: slug === "coding" && at("tasks/settlement-retries"),
    receipts: at("receipts"),
    receipt: receipt.id && at(`receipts/${receipt.id}`),
    trail: at("trail"),
    deletion: at("deletion-requests"),
    request: pending.id && at(`deletion-requests/${pending.id}`),
    certificate: executed.id && at(`deletion-requests/${executed.id}/certificate`),
    asking: at("deletion-requests/new"),
    review: at("review"),
    decided: at("review?state=approved"),
    proposal: proposal.id && at(`review/${proposal.id}`),
    conflicts: at("conflicts"),
    conflict: conflict.id && at(`conflicts/${conflict.id}`),
    dreams: at("dreams"),
    dream: dream.id && at(`dreams/${dream.id}`),
    undreamt: dream.id && at(`dreams/${dream.id}/roll-back`),
    holds: at("holds"),
    retention: at("retention"),
    tried: at("retention?try=yes&days=30"),
    agents: at("agents"),
    agent: agent.id && at(`agents/${agent.id}`),
    members: at("members"),
    settings: at("settings"),
    connect: at("connect"),
    account: "/account",
    instance: "/instance",
    places: "/instance/workspaces",
    people: "/instance/people",
    nowhere: "/w/nowhere/memories",
    problems: "/docs/problems",
  };
  return Object.fromEntries(Object.entries(all).filter(([, path]) => path));
}
