// Elements of the page. Whatever comes from the data is written as text, never as markup.
const summary = JSON.parse(document.getElementById("summary").textContent);
const state = { size: summary.sizes.findIndex((size) => size.selected), curve: 0, threshold: 0, metric: "log_loss" };

const byId = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

function shape(tag, attributes = {}, text = null) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.textContent = text;
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
const signed = (value, digits = 2) => (value > 0 ? "+" : "") + decimal(value, digits);

const score = (name, value) => (name === "accuracy" ? percent(value) : decimal(value));

function fact(value, text) {
  return element("div", { class: "fact" }, element("b", {}, value), element("span", {}, text));
}

function table(headings, rows) {
  const head = element("tr", {}, ...headings.map((heading) => element("th", { scope: "col" }, heading)));
  const body = rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}

const sentence = (text) => text[0].toLowerCase() + text.slice(1);
const columnName = (j) => summary.columns.name[j];
const evaluated = summary.evaluation.method; // "cross-validated" or "held-out"
const overFolds = summary.evaluation.n_train === null ? "standard error over folds" : "standard error over groups of held-out rows";
// Whether some selected column was selected in less than half of the outer folds.
const rarelySelected = () => summary.columns.n_folds_selected.some((n, j) => n !== null && summary.columns.selected[j] && 2 * n < summary.stability.n_folds);
const typeNames = { integer: "integer", number: "numeric", category: "categorical", time: "date or time" };
const labels = summary.data.classes.map((each) => each.label);
