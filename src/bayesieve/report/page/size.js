// Another number of columns.
const heldOut = (size, name) => (name in size.goal ? size.goal[name] : size.held_out[name]);
const withError = (name, value) => (value ? `${score(name, value.mean)} ± ${scoreError(name, value.standard_error)}` : "–");
const columnName = (j) => data.fields[0].values[j];

function drawSize() {
  const now = data.sizes[state.size];
  for (const box of document.querySelectorAll("[data-metric]")) {
    const chart = box.querySelector("svg");
    const low = Number(chart.dataset.x.split(" ")[0]);
    const own = heldOut(now, box.dataset.metric);
    const inside = now.n_columns >= low && own !== null;
    chart.querySelector(".mark").classList.toggle("outside", !inside);
    chart.querySelector(".cursor").classList.toggle("outside", !inside);
    if (own) moveMark(chart, now.n_columns, own.mean);
    moveCursor(chart, now.n_columns);
  }
  write("size-value", `${now.n_columns}${now.selected ? " ✓" : ""}`);
  const many = now.n_columns === 1 ? "1 column" : `${now.n_columns} columns`;
  write("size-title", now.selected ? `${many} (selected)` : many);
  fillRows(bodyOf("size-scores"), Object.entries(data.metrics).map(([key, metric]) => [
    metric.title, withError(key, heldOut(now, key)), ...(now.optimistic.log_loss === null ? [] : [key in now.optimistic ? score(key, now.optimistic[key]) : "–"]),
  ]));
  const before = new Set(data.sizes.length === 1 ? now.columns : state.size ? data.sizes[state.size - 1].columns : []);
  const shown = now.columns.slice(0, 60);
  const chips = shown.map((j) => element("span", { class: before.has(j) ? "chip" : "chip new" }, columnName(j)));
  if (now.columns.length > shown.length) chips.push(element("span", { class: "chip" }, `and ${now.columns.length - shown.length} more`));
  fill("size-columns", ...chips);
  write("size-note", now.selected ? "" : `Threshold, lift and calibration below are those of ${now.curves.length ? many : "the selected number of columns"}.`);
  if (byId("confusion")) drawConfusion(now.confusion);
}

function drawConfusion(counts) {
  [...bodyOf("confusion").rows].forEach((row, a) => [...row.cells].slice(1).forEach((cell, b) => {
    cell.textContent = count(counts[a][b]);
    cell.className = a === b ? "hit" : counts[a][b] ? "" : "zero";
  }));
}

function startSizes() {
  const slider = byId("size-slider");
  slider.addEventListener("input", () => {
    state.size = Number(slider.value);
    drawSize();
    resetThreshold();
    drawCurve();
  });
  const select = byId("metric");
  select.addEventListener("input", () => {
    for (const box of document.querySelectorAll("[data-metric]")) box.hidden = box.dataset.metric !== select.value;
  });
  drawSize();
}
