// What a session has beyond its row: its facts, its hand-over, its state file, and what happened.
const figuresOf = new Map(report.figures.sessions.map((one) => [one.id, one]));
for (const one of report.sessions) one.figures = figuresOf.get(one.id) || null;

const KINDS = { start: "Started", prompt: "Asked", file: "Changed", task: "Task", loop: "Loop", decision: "Decided", compaction: "Compaction", commit: "Commit", end: "Ended" };

function what(event) {
  const times = event.times > 1 ? ` (${event.times} edits)` : "";
  if (event.kind === "file") return event.path + times + (event.why ? ": " + event.why : "");
  if (event.kind === "compaction") {
    const left = event.omitted ? ", left out: " + event.omitted.join(", ") : "";
    return `${event.text || ""} ${event.status}${event.kept ? `, ${event.kept} kept` : ""}${left}`.trim();
  }
  return (event.text || "-") + (event.status ? ` (${event.status})` : "");
}

const eventRow = (event) => [moment(event.at), KINDS[event.kind] || event.kind, what(event)];

function described(pairs) {
  const list = (values) => make("ul", {}, values.map((value) => make("li", {}, value)));
  return make("dl", {}, pairs.filter(([, value]) => value && value.length !== 0).map(([label, value]) => [
    make("dt", {}, label), make("dd", {}, Array.isArray(value) ? list(value) : String(value)),
  ]));
}

function facts(one) {
  const own = one.figures;
  const sums = own ? [
    ["Time to completion", own.seconds ? lasting(own.seconds) : ""],
    ["Compactions", own.compactions ? `${own.compactions}; ${own.kept} things kept, ${own.omitted} left out` : ""],
    ["Worst zone", own.zone],
    ["Tokens", own.requests ? `${count(own.fresh)} fresh, ${count(own.cache_write)} cache write, ${count(own.cache_read)} cache read, ${count(own.output)} out` : ""],
    ["Cost", own.cost ? money(own.cost) : ""],
  ] : [];
  return described([
    ["ID", one.id], ["Status", one.status], ["Process", one.process], ["Branch", one.branch], ["Working tree", one.worktree],
    ["Started", one.started && moment(one.started)], ["Last active", moment(one.last_active)], ["Ended", one.ended && moment(one.ended)],
    ["State file", one.state_file && `${one.state_file} (${one.format || "unknown"})`], ...sums,
  ]);
}

function part(title, ...nodes) {
  return [make("h4", {}, title), ...nodes];
}

function documentOf(one) {
  if (!one.accepted) return part("State file", make("p", {}, "It may come from elsewhere and is not accepted here, so that its text is left out."));
  const found = report.documents[one.state_file];
  if (!found) return [];
  const cut = found.more ? [make("p", { class: "dim" }, `${count(found.more)} more characters are left out.`)] : [];
  return part("State file", make("pre", { class: "document" }, found.text), ...cut);
}

function body(one) {
  const nodes = [facts(one)];
  if (one.handover.length || one.answer) nodes.push(...part("Hand-over", described([...one.handover, ["Last answer", one.answer]])));
  nodes.push(...documentOf(one));
  if (one.tasks.length) nodes.push(...part("Tasks", described([["Done", one.tasks.filter(([, status]) => status === "completed").map(([subject]) => subject)], ["Open", one.tasks.filter(([, status]) => status !== "completed" && status !== "deleted").map(([subject]) => subject)]])));
  if (one.files.length) nodes.push(...part("Files changed", make("ul", {}, one.files.map((path) => make("li", {}, path))), ...(one.more_files ? [make("p", { class: "dim" }, `${one.more_files} more`)] : [])));
  if (one.agents.length) nodes.push(table("Subagents", ["Type", "Status", "Time"], one.agents.map(([type, status, seconds]) => () => [type, status, lasting(seconds)]), [2]));
  if (one.events.length) nodes.push(table("What happened" + (one.more_events ? `; ${one.more_events} earlier events are left out` : ""), ["When", "Kind", "What"], one.events.map((event) => () => eventRow(event))));
  return make("div", {}, nodes);
}

function article(one) {
  const button = make("button", { type: "button", "aria-expanded": "false" }, make("bdi", {}, one.title), make("span", { class: "dim" }, ` ${one.short}, ${one.group}`));
  const found = make("article", {}, make("h3", {}, button));
  found.session = one;
  found.open = (yes) => {
    if (yes && !found.body) found.append((found.body = body(one)));
    if (found.body) found.body.hidden = !yes;
    button.setAttribute("aria-expanded", String(yes));
  };
  button.addEventListener("click", () => found.open(button.getAttribute("aria-expanded") !== "true"));
  return found;
}
