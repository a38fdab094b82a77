// Elements are made from texts only. No text of a session is ever read as HTML.
const report = JSON.parse(document.getElementById("report").textContent);
const byId = (name) => document.getElementById(name);
const STEP = 100; // rows that are made at once

function make(name, attributes = {}, ...nodes) {
  const found = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") found.addEventListener("click", value);
    else if (value !== false) found.setAttribute(key, value === true ? "" : value);
  }
  found.append(...nodes.flat(Infinity).map((node) => (node instanceof Node ? node : String(node))));
  return found;
}

const count = (number) => Number(number).toLocaleString("en-US");
const money = (dollars) => "$" + dollars.toFixed(2);
const moment = (text) => (text ? new Date(text).toLocaleString("sv-SE").slice(0, 16) : "-");

function lasting(seconds) {
  if (seconds < 90) return Math.round(seconds) + " s";
  if (seconds < 5400) return Math.round(seconds / 60) + " min";
  return seconds < 172800 ? Math.round(seconds / 3600) + " h" : Math.round(seconds / 86400) + " days";
}

function table(caption, headings, rows, numbers = []) {
  const cell = (value, at) => make(at ? "td" : "th", at ? { class: numbers.includes(at) ? "number" : "" } : { scope: "row" }, value);
  const body = make("tbody");
  const found = make("table", {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, headings.map((text, at) => make("th", { scope: "col", class: numbers.includes(at) ? "number" : "" }, text)))),
    body);
  return paged(found, body, rows, (row) => make("tr", {}, row().map(cell)));
}

// Put the first rows into `inside`, and a button below `whole` that adds more of them.
function paged(whole, inside, rows, draw) {
  let shown = 0;
  const holder = make("div", {}, whole);
  const more = make("button", { type: "button", class: "more" });
  const add = (most) => {
    inside.append(...rows.slice(shown, shown + most).map(draw));
    shown = Math.min(rows.length, shown + most);
    more.hidden = shown >= rows.length;
    more.textContent = `${rows.length - shown} more: show the next ${Math.min(STEP, rows.length - shown)}`;
  };
  more.addEventListener("click", () => add(STEP));
  holder.append(more);
  holder.showAtLeast = (least) => shown < least && add(least - shown);
  add(STEP);
  return holder;
}
