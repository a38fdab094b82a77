// A bar for each time that a session was at work. Bars that do not touch share a lane.
const SHADES = { live: "--live", open: "--open", paused: "--paused" };
const lanes = byId("lanes");
const kindOf = byId("kind");
let chosen = report.sessions; // the sessions that fit the search and the filters
let bars = [];
let depth = 1;
let view = [0, 1]; // seconds since 1970
let whole = [0, 1];

for (const name of Object.keys(KINDS)) kindOf.append(make("option", { value: name }, KINDS[name]));

const seconds = (text) => Date.parse(text) / 1000;

function arrange() {
  bars = chosen.flatMap((one) => one.spans.map(([first, last]) => ({ one, first: seconds(first), last: seconds(last), lane: 0 })));
  bars.sort((a, b) => a.first - b.first);
  const all = bars.reduce(([low, high], bar) => [Math.min(low, bar.first), Math.max(high, bar.last)], [Infinity, -Infinity]);
  whole = bars.length ? [all[0], Math.max(all[1], all[0] + 60)] : [seconds(report.made) - 86400, seconds(report.made)];
  const room = (whole[1] - whole[0]) / 400;
  const ends = [];
  for (const bar of bars) {
    const free = ends.findIndex((end) => end + room < bar.first);
    bar.lane = free < 0 ? ends.length : free;
    ends[bar.lane] = bar.last;
  }
  depth = Math.max(1, ends.length);
  zoomTo(whole[0], whole[1]);
}

function zoomTo(first, last) {
  const width = Math.max(60, Math.min(last - first, whole[1] - whole[0]));
  const start = Math.max(whole[0], Math.min(first, whole[1] - width));
  view = [start, start + width];
  byId("range").textContent = `${moment(new Date(view[0] * 1000))} to ${moment(new Date(view[1] * 1000))}`;
  draw();
  listEvents();
}

function zoom(factor, around = (view[0] + view[1]) / 2) {
  zoomTo(around - (around - view[0]) * factor, around + (view[1] - around) * factor);
}

const place = () => {
  const tall = Math.max(5, Math.min(22, Math.floor(500 / depth)));
  return { tall, width: lanes.clientWidth, x: (at) => ((at - view[0]) / (view[1] - view[0])) * lanes.clientWidth };
};

function draw() {
  if (byId("timeline").hidden && !printing) return;
  const { tall, width, x } = place();
  const height = Math.min(depth * tall, 4000) + 22;
  const scale = window.devicePixelRatio || 1;
  lanes.style.height = height + "px";
  lanes.width = width * scale;
  lanes.height = height * scale;
  const pen = lanes.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const shade = (name) => style.getPropertyValue(name).trim();
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  const marks = Math.max(2, Math.floor(width / 160));
  for (let mark = 0; mark < marks; mark += 1) {
    const at = view[0] + ((view[1] - view[0]) * mark) / marks;
    pen.fillStyle = shade("--line");
    pen.fillRect(x(at), 0, 1, height);
    pen.fillStyle = shade("--dim");
    pen.fillText(moment(new Date(at * 1000)), x(at) + 4, height - 10);
  }
  for (const bar of bars) {
    if (bar.last < view[0] || bar.first > view[1]) continue;
    const left = Math.max(0, x(bar.first));
    const wide = Math.max(2, Math.min(width, x(bar.last)) - left);
    pen.fillStyle = shade(SHADES[bar.one.group] || "--done");
    pen.fillRect(left, bar.lane * tall + 1, wide, tall - 2);
    if (tall < 14 || wide < 60) continue;
    pen.save();
    pen.beginPath();
    pen.rect(left, bar.lane * tall, wide - 4, tall);
    pen.clip();
    pen.fillStyle = shade("--back");
    pen.fillText(bar.one.title, left + 4, bar.lane * tall + tall / 2);
    pen.restore();
  }
}

function barAt(event) {
  const { tall, x } = place();
  const lane = Math.floor(event.offsetY / tall);
  return bars.find((bar) => bar.lane === lane && x(bar.first) - 2 <= event.offsetX && event.offsetX <= Math.max(x(bar.last), x(bar.first) + 2) + 2);
}

function listEvents() {
  if (byId("timeline").hidden && !printing) return;
  const inside = (event) => seconds(event.at) >= view[0] - 1 && seconds(event.at) <= view[1] + 1;
  const found = [];
  for (const one of [...chosen, { title: "-", events: report.commits }]) {
    for (const event of one.events) if ((!kindOf.value || event.kind === kindOf.value) && inside(event)) found.push([event, one]);
  }
  found.sort((a, b) => (a[0].at < b[0].at ? 1 : a[0].at > b[0].at ? -1 : 0));
  const rows = found.map(([event, one]) => () => [...eventRow(event), make("bdi", { class: "clipped", title: one.title }, one.title)]);
  byId("happened").replaceChildren(table(`What happened in this time: ${count(found.length)} events`, ["When", "Kind", "What", "Session"], rows));
}

let held = null; // where the mouse was pressed, and what was in view then
lanes.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(event.deltaY > 0 ? 1.25 : 0.8, view[0] + (event.offsetX / lanes.clientWidth) * (view[1] - view[0]));
}, { passive: false });
lanes.addEventListener("pointerdown", (event) => {
  held = { x: event.offsetX, view, moved: false };
  lanes.setPointerCapture(event.pointerId);
});
lanes.addEventListener("pointermove", (event) => {
  if (held) {
    const by = ((held.x - event.offsetX) / lanes.clientWidth) * (held.view[1] - held.view[0]);
    held.moved = held.moved || Math.abs(held.x - event.offsetX) > 3;
    if (held.moved) zoomTo(held.view[0] + by, held.view[1] + by);
    return;
  }
  const bar = barAt(event);
  byId("under").textContent = bar ? `${bar.one.title} (${bar.one.group}), ${moment(bar.one.started)}, ${lasting(bar.last - bar.first)}` : "Wheel: zoom. Drag: move. Click a bar: open the session.";
});
lanes.addEventListener("pointerup", (event) => {
  const bar = held && !held.moved ? barAt(event) : null;
  held = null;
  if (bar) openSession(bar.one);
});
const move = (share) => zoomTo(view[0] + (view[1] - view[0]) * share, view[1] + (view[1] - view[0]) * share);
byId("zoom-in").addEventListener("click", () => zoom(0.5));
byId("zoom-out").addEventListener("click", () => zoom(2));
byId("earlier").addEventListener("click", () => move(-0.5));
byId("later").addEventListener("click", () => move(0.5));
byId("whole").addEventListener("click", () => zoomTo(whole[0], whole[1]));
kindOf.addEventListener("change", listEvents);
