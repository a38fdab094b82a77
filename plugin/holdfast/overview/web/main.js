// Tabs, search, filters, the theme, and printing.
const TABS = ["overview", "timeline", "figures", "sessions"];
let printing = false;
let articles = null; // the holder of the articles, made when they are first looked at

const COLUMNS = ["Title", "Status", "Tasks", "Files", "Agents", "Tokens", "Branch", "Last active"];

function row(one) {
  const own = one.figures;
  const title = make("button", { type: "button", class: "title", onclick: () => openSession(one) }, make("bdi", {}, one.title));
  return [
    [make("span", { class: "mark " + one.group, "aria-hidden": "true" }), title],
    one.status,
    one.progress || "-",
    one.files.length + one.more_files || "-",
    one.agents.length || "-",
    own && own.requests ? count(own.tokens) : "-",
    one.branch || "-",
    moment(one.last_active),
  ];
}

function drawOverview() {
  const tables = report.groups.map((group) => [group, chosen.filter((one) => one.group === group)]).filter(([, found]) => found.length);
  byId("groups").replaceChildren(...tables.map(([group, found]) => table(`${group[0].toUpperCase() + group.slice(1)} (${found.length})`, COLUMNS, found.map((one) => () => row(one)), [2, 3, 4, 5])));
  if (!tables.length) byId("groups").append(make("p", {}, "No session fits."));
}

function drawArticles() {
  articles = null;
  if (byId("sessions").hidden && !printing) return;
  const inside = make("div");
  articles = paged(inside, inside, chosen, article);
  byId("articles").replaceChildren(articles);
}

function openSession(one) {
  show("sessions");
  const at = chosen.indexOf(one);
  articles.showAtLeast(at + 1);
  const found = articles.firstChild.children[at];
  found.open(true);
  found.scrollIntoView({ block: "start" });
  found.querySelector("button").focus();
}

function show(name) {
  for (const tab of TABS) {
    byId(tab).hidden = tab !== name;
    byId("tab-" + tab).setAttribute("aria-selected", String(tab === name));
    byId("tab-" + tab).tabIndex = tab === name ? 0 : -1;
  }
  if (name === "timeline") { draw(); listEvents(); }
  if (name === "figures" && !plots.length) drawPlots();
  if (name === "sessions" && !articles) drawArticles();
}

const searched = (one) => (one.searched ||= JSON.stringify([one.title, one.id, one.branch, one.state_file, one.handover, one.answer, one.tasks, one.files, one.events, (report.documents[one.state_file] || {}).text]).toLowerCase());

function filter() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean).map((word) => JSON.stringify(word).slice(1, -1));
  const since = byId("days").value ? Date.parse(report.made) - byId("days").value * 86400e3 : 0;
  const fits = (one) =>
    (!byId("group").value || one.group === byId("group").value) &&
    (!byId("branch").value || one.branch === byId("branch").value) &&
    (!since || Date.parse(one.last_active) >= since) &&
    words.every((word) => searched(one).includes(word));
  chosen = report.sessions.filter(fits);
  byId("count").textContent = `${count(chosen.length)} of ${count(report.sessions.length)} sessions`;
  drawOverview();
  drawArticles();
  arrange();
}

const isDark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const nameTheme = () => { byId("theme").textContent = isDark() ? "Light" : "Dark"; };
function redraw() {
  nameTheme();
  draw();
  if (plots.length) drawPlots();
}

for (const name of report.groups) byId("group").append(make("option", { value: name }, name));
for (const name of [...new Set(report.sessions.map((one) => one.branch).filter(Boolean))].sort()) byId("branch").append(make("option", { value: name }, name));
for (const tab of TABS) byId("tab-" + tab).addEventListener("click", () => show(tab));
document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = TABS[(TABS.findIndex((tab) => !byId(tab).hidden) + step + TABS.length) % TABS.length];
  show(next);
  byId("tab-" + next).focus();
});
let waiting = 0;
byId("search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
for (const name of ["group", "branch", "days"]) byId(name).addEventListener("change", filter);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("filters").addEventListener("reset", () => setTimeout(filter));
byId("theme").addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; redraw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
const openAll = (yes) => { for (const one of articles.firstChild.children) one.open(yes); };
byId("open-all").addEventListener("click", () => openAll(true));
byId("close-all").addEventListener("click", () => openAll(false));
addEventListener("resize", redraw);
addEventListener("beforeprint", () => {
  printing = true;
  drawArticles();
  articles.showAtLeast(chosen.length);
  openAll(true);
  draw();
  listEvents();
  if (!plots.length) drawPlots();
});
addEventListener("afterprint", () => { printing = false; drawArticles(); });
nameTheme();
filter();
show("overview");
