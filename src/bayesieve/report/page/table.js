// All columns, to sort and search.
const perPage = 25;
const view = { sort: "importance", descending: true, page: 0, rows: [] };
const formats = {
  text: (value) => value ?? "",
  count: (value) => (value === null ? "" : count(value)),
  percent: (value) => (value === null ? "" : percent(value)),
  decimal2: (value) => (value === null ? "" : decimal(value, 2)),
  decimal4: decimal,
  small,
};
for (const field of data.fields) if (field.distinct) field.values = field.values.map((k) => field.distinct[k]);
const fieldOf = (name) => data.fields.find((field) => field.name === name);

function sorted() {
  const query = byId("search").value.trim().toLowerCase();
  const searched = data.fields.filter((field) => field.format === "text");
  const matches = (j) => searched.some((field) => (field.values[j] ?? "").toLowerCase().includes(query));
  const rows = data.fields[0].values.map((_, j) => j).filter(matches);
  const { values } = fieldOf(view.sort);
  const sign = view.descending ? -1 : 1;
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
  return rows.sort((a, b) => {
    if (values[a] === null || values[b] === null) return (values[a] === null) - (values[b] === null) || a - b;
    return sign * compare(values[a], values[b]) || a - b;
  });
}

const cellsOf = (j) => data.fields.map((field) => formats[field.format](field.values[j]));

function drawTable() {
  view.rows = sorted();
  const nPages = Math.max(1, Math.ceil(view.rows.length / perPage));
  view.page = Math.min(view.page, nPages - 1);
  const shown = view.rows.slice(view.page * perPage, (view.page + 1) * perPage);
  byId("table").tBodies[0].replaceChildren(...shown.map((j) => element("tr", data.selected[j] ? {} : { class: "out" },
    ...cellsOf(j).map((text, i) => element(i ? "td" : "th", data.fields[i].format === "text" ? { class: "words" } : {}, text)))));
  for (const head of byId("table").tHead.rows[0].cells) {
    const here = head.dataset.field === view.sort;
    head.setAttribute("aria-sort", here ? (view.descending ? "descending" : "ascending") : "none");
    head.firstChild.textContent = fieldOf(head.dataset.field).title + (here ? (view.descending ? " ↓" : " ↑") : "");
  }
  write("table-count", `${count(view.rows.length)} of ${count(data.selected.length)} columns`);
  write("page", `Page ${view.page + 1} of ${nPages}`);
  byId("previous").disabled = view.page === 0;
  byId("next").disabled = view.page === nPages - 1;
}

function startTable() {
  for (const head of byId("table").tHead.rows[0].cells) {
    const field = fieldOf(head.dataset.field);
    const button = element("button", { type: "button" }, field.title);
    button.addEventListener("click", () => {
      view.descending = view.sort === field.name ? !view.descending : field.format !== "text";
      view.sort = field.name;
      view.page = 0;
      drawTable();
    });
    head.replaceChildren(button);
  }
  byId("search").addEventListener("input", () => { view.page = 0; drawTable(); });
  byId("previous").addEventListener("click", () => { view.page -= 1; drawTable(); });
  byId("next").addEventListener("click", () => { view.page += 1; drawTable(); });
  drawTable();
}
