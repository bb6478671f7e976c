// Scores for each number of columns.
function drawSizes() {
  const { sizes } = summary;
  const name = state.metric;
  // The score without any column is so much worse that the others would look alike.
  const drawn = sizes.length > 2 ? sizes.filter((size) => size.n_columns > 0) : sizes;
  const points = drawn.map((size) => [size.n_columns, size.held_out[name].mean, size.held_out[name].standard_error, size.optimistic[name]]);
  const low = Math.min(...points.map(([, mean, error, optimistic]) => Math.min(mean - error, optimistic ?? mean)));
  const high = Math.max(...points.map(([, mean, error, optimistic]) => Math.max(mean + error, optimistic ?? mean)));
  const room = 0.06 * (high - low || 1);
  const now = sizes[state.size];
  const smallest = drawn[0].n_columns;
  const largest = Math.max(drawn[drawn.length - 1].n_columns, smallest + 1);
  fill("size-chart", chart({
    label: `${summary.metrics[name].title} against the number of columns`,
    x: { from: smallest, to: largest, title: "columns", ticks: niceTicks(smallest, largest, narrow ? 5 : 8).filter(Number.isInteger) },
    y: { from: low - room, to: high + room, title: summary.metrics[name].title + (summary.metrics[name].higher_is_better ? "" : " (lower is better)"), format: (value) => (name === "accuracy" ? percent(value, 0) : value) },
    cursor: drawn.includes(now) ? now.n_columns : null,
    whiskers: points.map(([at, mean, error]) => ({ at, low: mean - error, high: mean + error })),
    lines: [
      { kind: "optimistic", points: points.filter((each) => each[3] !== null).map(([at, , , optimistic]) => [at, optimistic]), dots: 2.5 },
      { kind: "held-out", points: points.map(([at, mean]) => [at, mean]), dots: 3.5 },
    ],
    marks: drawn.includes(now) ? [[now.n_columns, now.held_out[name].mean]] : [],
  }));
  write("size-value", `${now.n_columns}${now.selected ? " ✓" : ""}`);
  const many = now.n_columns === 1 ? "1 column" : `${now.n_columns} columns`;
  write("size-title", now.selected ? `${many} (selected)` : many);
  const rows = Object.entries(summary.metrics).map(([key, metric]) => [
    metric.title, `${score(key, now.held_out[key].mean)} ± ${score(key, now.held_out[key].standard_error)}`, now.optimistic[key] === null ? "–" : score(key, now.optimistic[key]),
  ]);
  fill("size-scores", table(["metric", evaluated, "optimistic"], rows), element("p", { class: "quiet" }, `± ${overFolds}`), ...classConfusion(now));
  const before = new Set(state.size ? sizes[state.size - 1].columns : []);
  const shown = now.columns.slice(0, 60);
  const chips = shown.map((j) => element("span", { class: before.has(j) ? "chip" : "chip new" }, columnName(j)));
  if (now.columns.length > shown.length) chips.push(element("span", { class: "chip" }, `and ${now.columns.length - shown.length} more`));
  fill("size-columns", ...chips);
}

// The confusion matrix of more than two classes; two classes have the table of the threshold.
function classConfusion(size) {
  if (labels.length === 2 || labels.length > 12) return [];
  const rows = size.confusion.map((row, c) => [labels[c], ...row.map(count)]);
  const caption = element("p", { class: "quiet" }, `Confusion matrix (${evaluated}). Rows: actual class; columns: most probable class.`);
  return [caption, element("div", { class: "scroll", id: "confusion" }, table(["", ...labels], rows))];
}

function startSizes() {
  const slider = byId("size-slider");
  slider.max = summary.sizes.length - 1;
  slider.value = state.size;
  slider.addEventListener("input", () => { state.size = Number(slider.value); drawSizes(); resetThreshold(); drawThreshold(); });
  write("held-out-key", evaluated);
  const select = byId("metric");
  for (const [name, metric] of Object.entries(summary.metrics)) select.append(element("option", { value: name }, metric.title));
  state.metric = { ranking: "auc", accuracy: "accuracy" }[summary.context.goal] || "log_loss";
  select.value = state.metric;
  select.addEventListener("input", () => { state.metric = select.value; drawSizes(); });
  drawSizes();
}
