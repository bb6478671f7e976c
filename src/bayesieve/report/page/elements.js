// Elements of the page. Whatever comes from the data is written as text, never as markup.
const data = JSON.parse(document.getElementById("summary").textContent);
const nRows = data.classRows.reduce((sum, each) => sum + each, 0);
const state = { size: data.sizes.findIndex((size) => size.selected), curve: 0, threshold: 0 };

const byId = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

function shape(tag, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const fill = (id, ...children) => byId(id).replaceChildren(...children);
const write = (id, text) => { byId(id).textContent = text; };

const decimal = (value, digits = 4) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const percent = (value, digits = 1) => (value === null || value === undefined ? "–" : (100 * value).toFixed(digits) + "%");
const count = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
const probability = (value) => {
  if (value === 0 || value === 1) return String(value);
  if (value < 0.001) return value.toExponential(1);
  return String(Number(value.toPrecision(value > 0.99 ? 6 : 4)));
};
const signed = (value, digits = 2) => (Number(value.toFixed(digits)) > 0 ? "+" : "") + (Number(value.toFixed(digits)) === 0 ? (0).toFixed(digits) : value.toFixed(digits));
const money = (value) => value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).replace(/\.00$/, "").replace(/^-0$/, "0");
const shares = ["accuracy", "recall", "precision"];
const score = (name, value) => (name === "profit" ? money(value) : shares.includes(name) ? percent(value) : decimal(value));
const scoreError = (name, value) => (shares.includes(name) && value > 0 && value < 0.00095 ? percent(value, 2) : score(name, value));
const small = (value) => (value === null ? "" : value > 0 && value < 0.00005 ? "< 0.0001" : value.toFixed(4).replace("-0.0000", "0.0000"));

// The 95% interval of a share, by Wilson's score method; rows of a group count as one observation.
function wilson(part, nRows) {
  const z = 1.959964;
  const share = nRows ? part / nRows : 0.5;
  const whole = nRows / data.rowsPerObservation;
  const center = (whole * share + (z * z) / 2) / (whole + z * z);
  const half = (z * Math.sqrt(whole * share * (1 - share) + (z * z) / 4)) / (whole + z * z);
  return [Math.max(center - half, 0), Math.min(center + half, 1)];
}
const interval = ([low, high]) => `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}%`;

// The scales of a chart that the page has drawn.
function scales(chart) {
  const scale = (text) => {
    const [low, high, start, end] = text.split(" ").map(Number);
    return (value) => start + ((value - low) / (high - low || 1)) * (end - start);
  };
  return { across: scale(chart.dataset.x), up: scale(chart.dataset.y) };
}

const chartOf = (id) => byId(id).querySelector("svg");

function moveLine(chart, kind, points) {
  const { across, up } = scales(chart);
  chart.querySelector(`.line.${kind}`).setAttribute("points", points.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join(" "));
}

function moveMark(chart, x, y) {
  const { across, up } = scales(chart);
  const mark = chart.querySelector(".mark");
  mark.setAttribute("cx", across(x));
  mark.setAttribute("cy", up(y));
}

function moveShare(chart, y) {
  const place = scales(chart).up(y);
  const line = chart.querySelector(".share");
  line.setAttribute("y1", place);
  line.setAttribute("y2", place);
}

function moveCursor(chart, x) {
  const place = scales(chart).across(x);
  const cursor = chart.querySelector(".cursor");
  cursor.setAttribute("x1", place);
  cursor.setAttribute("x2", place);
}

function moveDots(chart, kind, points, radius) {
  const { across, up } = scales(chart);
  chart.querySelector(`.dots.${kind}`).replaceChildren(...points.map(([x, y]) => shape("circle", { class: `dot ${kind}`, cx: across(x), cy: up(y), r: radius })));
}

function moveWhiskers(chart, ends) {
  const { across, up } = scales(chart);
  chart.querySelector(".whisker").setAttribute("d", ends.map(([x, low, high]) => `M${across(x)} ${up(low)}V${up(high)}`).join(""));
}

function moveBars(chart, kind, bars) {
  const { across, up } = scales(chart);
  chart.querySelector(`.bar.${kind}`).setAttribute("d", bars.map(([left, right, value]) => `M${across(left) + 0.5} ${up(0)}V${up(value)}H${across(right) - 0.5}V${up(0)}z`).join(""));
}

const bodyOf = (id) => byId(id).querySelector("tbody");

function fillRows(body, rows) {
  body.replaceChildren(...rows.map((row) => element("tr", {}, ...row.map((cell, i) => element(i ? "td" : "th", {}, cell)))));
}
