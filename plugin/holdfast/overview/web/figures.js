// The plots of the figures: uPlot draws them; dragging zooms, a double click shows all again.
const DAYS = report.figures.days;
const noon = (day) => new Date(day + "T12:00:00").getTime() / 1000;
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, ...Array.from({ length: 36 }, (_, at) => [1, 2, 5][at % 3] * 10 ** Math.floor(at / 3))];
let plots = [];

function plot(title, series, points = false) {
  const style = getComputedStyle(document.documentElement);
  const shade = (name) => style.getPropertyValue(name).trim();
  const days = { incrs: [1, 2, 7, 14, 30, 91, 365].map((number) => number * 86400), values: (_, values) => values.map((at) => new Date(at * 1000).toLocaleDateString("sv-SE")), space: 90 };
  const axis = { stroke: shade("--dim"), grid: { stroke: shade("--line"), width: 1 }, ticks: { stroke: shade("--line"), width: 1 } };
  const holder = make("div", { role: "img", "aria-label": `${title}. The table below has the numbers.` });
  const figure = make("figure", {}, make("figcaption", {}, title), holder);
  byId("plots").append(figure);
  const bars = uPlot.paths.bars({ size: [0.7, 40], align: 0 });
  const shades = ["--open", "--second", "--live"];
  const options = {
    width: Math.max(280, figure.clientWidth || 400),
    height: 220,
    padding: [null, 40, null, null],
    scales: { x: { time: true, range: (_, low, high) => [low - 43200, high + 43200] }, y: { range: (_, low, high) => [Math.min(0, low || 0), (high || 1) * 1.05] } },
    axes: [{ ...axis, ...days }, { ...axis, size: 70, incrs: STEPS, values: (_, values) => values.map((value) => value.toLocaleString("en-US")) }],
    series: [{ label: "Day", value: "{YYYY}-{MM}-{DD}" }, ...series.map(([label], at) => ({
      label,
      stroke: shade(shades[at]),
      fill: points ? undefined : shade(shades[at]) + (at ? "" : "66"),
      width: 0,
      paths: points ? () => null : bars,
      points: { show: points, size: 7, fill: shade(shades[at]) },
    }))],
  };
  plots.push(new uPlot(options, series.length ? [series[0][2] || DAYS.map((one) => noon(one.day)), ...series.map(([, values]) => values)] : [[]], holder));
}

function drawPlots() {
  for (const one of plots) one.destroy();
  plots = [];
  byId("plots").replaceChildren();
  if (!DAYS.length) return;
  const daily = (key) => DAYS.map((one) => one[key]);
  plot("Sessions by day", [["Sessions", daily("sessions")]]);
  plot("Tasks by day", [["Tasks", daily("tasks")], ["Done", daily("tasks_done")]]);
  plot("Tokens by day", [["Tokens", daily("tokens")]]);
  if (daily("cost").some(Boolean)) plot("Cost by day, in dollars", [["Cost", daily("cost")]]);
  if (daily("compactions").some(Boolean)) plot("What compactions kept and left out, by day", [["Kept", daily("kept")], ["Left out", daily("omitted")]]);
  const done = report.figures.sessions.filter((one) => one.seconds > 0).sort((a, b) => (a.started < b.started ? -1 : 1));
  if (done.length) plot("Hours from start to completion", [["Hours", done.map((one) => one.seconds / 3600), done.map((one) => Date.parse(one.started) / 1000)]], true);
}
