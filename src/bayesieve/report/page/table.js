// All columns, to sort and search.
const perPage = 25;
const view = { sort: "importance", descending: true, page: 0, rows: [] };
const all = summary.columns;
const fields = [
  ["name", "column", "Name of the column", (j) => all.name[j]],
  ["type", "type", "Integer, numeric, categorical, or date or time", (j) => typeNames[all.type[j]]],
  ["n_missing", "missing", "Share of missing values", (j) => percent(all.n_missing[j] / summary.data.n_rows)],
  ["n_distinct", "distinct", "Number of distinct values", (j) => count(all.n_distinct[j])],
  ["importance", "importance", summary.model.importance, (j) => (all.selected[j] ? percent(all.importance[j]) : "")],
  ...(summary.model.weighted ? [["weight", "weight", "Weight of the column; 1 is plain naive Bayes", (j) => (all.weight[j] === null ? "" : decimal(all.weight[j], 2))]] : []),
  ["score_alone", "score alone", summary.model.score_alone, (j) => decimal(all.score_alone[j])],
  ["gain", "gain", summary.model.gain, (j) => (all.gain[j] === null ? "–" : all.gain[j].toPrecision(2))],
  ["redundancy", "redundant with", "The most similar selected column, with its symmetric uncertainty from 0 to 1", (j) => (all.redundant_with[j] === null ? "" : `${columnName(all.redundant_with[j])} (${decimal(all.redundancy[j], 2)})`)],
  ["n_folds_selected", "folds", "Number of outer folds in which this column was selected", (j) => (all.n_folds_selected[j] === null ? "–" : `${all.n_folds_selected[j]} of ${summary.stability.n_folds}`)],
  ["reason", "reason", "Why the column was selected, or why not", (j) => [all.reason[j], all.warning[j]].filter(Boolean).join("; ")],
];
const textual = new Set(["name", "type", "redundancy", "reason"]);

function sorted() {
  const query = byId("search").value.trim().toLowerCase();
  const matches = (j) => [all.name[j], typeNames[all.type[j]], all.reason[j], all.warning[j] || ""].some((each) => each.toLowerCase().includes(query));
  const rows = all.name.map((_, j) => j).filter(matches);
  const values = all[view.sort];
  const sign = view.descending ? -1 : 1;
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
  return rows.sort((a, b) => {
    if (values[a] === null || values[b] === null) return (values[a] === null) - (values[b] === null) || a - b;
    return sign * compare(values[a], values[b]) || a - b;
  });
}

function drawTable() {
  view.rows = sorted();
  const nPages = Math.max(1, Math.ceil(view.rows.length / perPage));
  view.page = Math.min(view.page, nPages - 1);
  const shown = view.rows.slice(view.page * perPage, (view.page + 1) * perPage);
  byId("table").tBodies[0].replaceChildren(...shown.map((j) => element("tr", all.selected[j] ? {} : { class: "out" },
    ...fields.map(([name, , , text]) => element("td", textual.has(name) ? { class: name === "type" ? "words type" : "words" } : {}, text(j))))));
  for (const head of byId("table").tHead.rows[0].cells) {
    const here = head.dataset.field === view.sort;
    head.setAttribute("aria-sort", here ? (view.descending ? "descending" : "ascending") : "none");
    head.firstChild.textContent = head.dataset.title + (here ? (view.descending ? " ↓" : " ↑") : "");
  }
  write("table-count", `${count(view.rows.length)} of ${count(all.name.length)} columns`);
  write("page", `Page ${view.page + 1} of ${nPages}`);
  byId("previous").disabled = view.page === 0;
  byId("next").disabled = view.page === nPages - 1;
}

function startTable() {
  const heads = fields.map(([name, title, tooltip]) => {
    const button = element("button", { type: "button" }, title);
    button.addEventListener("click", () => {
      view.descending = view.sort === name ? !view.descending : !textual.has(name);
      view.sort = name;
      view.page = 0;
      drawTable();
    });
    return element("th", { scope: "col", title: tooltip, "data-field": name, "data-title": title, class: textual.has(name) ? "words" : "" }, button);
  });
  byId("table").tHead.replaceChildren(element("tr", {}, ...heads));
  byId("search").addEventListener("input", () => { view.page = 0; drawTable(); });
  byId("previous").addEventListener("click", () => { view.page -= 1; drawTable(); });
  byId("next").addEventListener("click", () => { view.page += 1; drawTable(); });
  drawTable();
}
