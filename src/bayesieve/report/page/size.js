// The path: what each number of columns is worth.
function drawSizes() {
  const { sizes } = summary;
  const name = state.metric;
  // No column at all is so much worse that the others would look alike.
  const drawn = sizes.length > 2 ? sizes.filter((size) => size.n_columns > 0) : sizes;
  const points = drawn.map((size) => [size.n_columns, size.honest[name].mean, size.honest[name].error, size.fit[name]]);
  const low = Math.min(...points.map(([, mean, error, fit]) => Math.min(mean - error, fit ?? mean)));
  const high = Math.max(...points.map(([, mean, error, fit]) => Math.max(mean + error, fit ?? mean)));
  const room = 0.06 * (high - low || 1);
  const now = sizes[state.size];
  const smallest = drawn[0].n_columns;
  const largest = Math.max(drawn[drawn.length - 1].n_columns, smallest + 1);
  fill("size-chart", chart({
    label: `${summary.metrics[name].title} against the number of columns`,
    x: { from: smallest, to: largest, title: "columns", ticks: niceTicks(smallest, largest, narrow ? 5 : 8).filter(Number.isInteger) },
    y: { from: low - room, to: high + room, title: summary.metrics[name].title + (summary.metrics[name].rises ? "" : " (less is better)"), format: (value) => (name === "accuracy" ? percent(value, 0) : value) },
    cursor: drawn.includes(now) ? now.n_columns : null,
    whiskers: points.map(([at, mean, error]) => ({ at, low: mean - error, high: mean + error })),
    lines: [
      { kind: "fit", points: points.filter((each) => each[3] !== null).map(([at, , , fit]) => [at, fit]), dots: 2.5 },
      { kind: "honest", points: points.map(([at, mean]) => [at, mean]), dots: 3.5 },
    ],
    marks: drawn.includes(now) ? [[now.n_columns, now.honest[name].mean]] : [],
  }));
  write("size-value", `${now.n_columns}${now.chosen ? " ✓" : ""}`);
  const many = now.n_columns === 1 ? "1 column" : `${now.n_columns} columns`;
  write("size-title", now.chosen ? `${many}, as chosen` : many);
  const rows = Object.entries(summary.metrics).map(([key, metric]) => [
    metric.title, `${score(key, now.honest[key].mean)} ± ${score(key, now.honest[key].error)}`, now.fit[key] === null ? "–" : score(key, now.fit[key]),
  ]);
  fill("size-scores", table(["score", "honest", "of the fit"], rows), ...classConfusion(now));
  const before = new Set(state.size ? sizes[state.size - 1].columns : []);
  const shown = now.columns.slice(0, 60);
  const chips = shown.map((j) => element("span", { class: before.has(j) ? "chip" : "chip new" }, columnName(j)));
  if (now.columns.length > shown.length) chips.push(element("span", { class: "chip" }, `and ${now.columns.length - shown.length} more`));
  fill("size-columns", ...chips);
}

// Of more than two classes, how often each was taken for each; two have the threshold's table.
function classConfusion(size) {
  if (labels.length === 2 || labels.length > 12) return [];
  const rows = size.confusion.map((row, c) => [labels[c], ...row.map(count)]);
  const words = element("p", { class: "quiet" }, "Rows are true classes, columns the most probable ones, on rows that took no part in the fit:");
  return [words, element("div", { class: "scroll", id: "confusion" }, table(["", ...labels], rows))];
}

function startSizes() {
  const slider = byId("size-slider");
  slider.max = summary.sizes.length - 1;
  slider.value = state.size;
  slider.addEventListener("input", () => { state.size = Number(slider.value); drawSizes(); resetCut(); drawDecision(); });
  const select = byId("metric");
  for (const [name, metric] of Object.entries(summary.metrics)) select.append(element("option", { value: name }, metric.title));
  state.metric = { ranking: "auc", accuracy: "accuracy" }[summary.question.goal] || "log_loss";
  select.value = state.metric;
  select.addEventListener("input", () => { state.metric = select.value; drawSizes(); });
  drawSizes();
}
