// All columns, to sort and search.
const perPage = 25;
const view = { sort: "importance", falling: true, page: 0, rows: [] };
const all = summary.columns;
const fields = [
  ["name", "column", (j) => all.name[j]],
  ["kind", "kind", (j) => all.kind[j]],
  ["missing", "missing", (j) => percent(all.missing[j] / summary.data.n_rows)],
  ["distinct", "values", (j) => count(all.distinct[j])],
  ["importance", "share", (j) => (all.weight[j] === null ? "" : percent(all.importance[j]))],
  ["weight", "weight", (j) => (all.weight[j] === null ? "" : decimal(all.weight[j], 2))],
  ["alone", "alone", (j) => decimal(all.alone[j])],
  ["gain", "adds", (j) => (all.gain[j] === null ? "–" : all.gain[j].toPrecision(2))],
  ["redundancy", "most like", (j) => (all.partner[j] === null ? "" : `${columnName(all.partner[j])} (${decimal(all.redundancy[j], 2)})`)],
  ["folds", "in folds", (j) => (all.folds[j] === null ? "–" : `${all.folds[j]} of ${summary.stability.n_folds}`)],
  ["reason", "why", (j) => [all.reason[j], all.suspicion[j]].filter(Boolean).join("; ")],
];
const wordy = new Set(["name", "kind", "redundancy", "reason"]);

function sorted() {
  const wanted = byId("search").value.trim().toLowerCase();
  const matches = (j) => [all.name[j], all.kind[j], all.reason[j], all.suspicion[j] || ""].some((each) => each.toLowerCase().includes(wanted));
  const rows = all.name.map((_, j) => j).filter(matches);
  const values = all[view.sort];
  const sign = view.falling ? -1 : 1;
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
  byId("table").tBodies[0].replaceChildren(...shown.map((j) => element("tr", all.weight[j] === null ? { class: "out" } : {},
    ...fields.map(([name, , words]) => element("td", wordy.has(name) ? { class: name === "kind" ? "words kind" : "words" } : {}, words(j))))));
  for (const head of byId("table").tHead.rows[0].cells) {
    const here = head.dataset.field === view.sort;
    head.setAttribute("aria-sort", here ? (view.falling ? "descending" : "ascending") : "none");
    head.firstChild.textContent = head.dataset.title + (here ? (view.falling ? " ↓" : " ↑") : "");
  }
  write("table-count", `${count(view.rows.length)} of ${count(all.name.length)} columns`);
  write("page", `Page ${view.page + 1} of ${nPages}`);
  byId("previous").disabled = view.page === 0;
  byId("next").disabled = view.page === nPages - 1;
}

function startTable() {
  const heads = fields.map(([name, title]) => {
    const button = element("button", { type: "button" }, title);
    button.addEventListener("click", () => {
      view.falling = view.sort === name ? !view.falling : !wordy.has(name);
      view.sort = name;
      view.page = 0;
      drawTable();
    });
    return element("th", { scope: "col", "data-field": name, "data-title": title, class: wordy.has(name) ? "words" : "" }, button);
  });
  byId("table").tHead.replaceChildren(element("tr", {}, ...heads));
  byId("search").addEventListener("input", () => { view.page = 0; drawTable(); });
  byId("previous").addEventListener("click", () => { view.page -= 1; drawTable(); });
  byId("next").addEventListener("click", () => { view.page += 1; drawTable(); });
  drawTable();
}
