// The bins of each selected column, as bars.
function bar(segments, width = 200) {
  const drawn = shape("svg", { viewBox: `0 0 ${width} 20`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const { kind, from, to } of segments) {
    const [low, high] = from < to ? [from, to] : [to, from];
    drawn.append(shape("rect", { class: kind, x: low * width, y: 2, width: Math.max((high - low) * width, 0), height: 16 }));
  }
  return drawn;
}

const total = (numbers) => numbers.reduce((sum, each) => sum + each, 0);

function binRows(bins) {
  const sizes = bins.counts.map(total);
  const most = Math.max(...sizes);
  // Beyond 4, a bin has almost no rows of one class: such bars are clipped so that the others can be seen.
  const weights = bins.points || bins.weight_of_evidence;
  const strongest = Math.min(Math.max(...weights.map(Math.abs), 0.01), 4);
  const cells = ["bin", "rows", "rate", bins.points ? "points" : "WoE"].map((head, i) => element("span", { class: i === 2 ? "head number" : "head" }, head));
  bins.labels.forEach((label, i) => {
    const weight = weights[i];
    const middle = { kind: "bar-back", from: 0.497, to: 0.503 };
    const direction = { kind: weight > 0 ? "plus" : "minus", from: 0.5, to: 0.5 + 0.48 * Math.max(-1, Math.min(1, weight / strongest)) };
    const rows = bar([{ kind: "bar-back", from: 0, to: 1 }, { kind: "bar-rows", from: 0, to: sizes[i] / most }]);
    const evidence = bar([middle, direction]);
    cells.push(element("span", { class: "words" }, label), labeled(rows, count(sizes[i])),
      element("span", { class: "number" }, percent(bins.rate[i])), labeled(evidence, signed(weight)));
  });
  return element("div", { class: "bins" }, ...cells);
}

// A bar with its number, for screen readers too.
function labeled(drawn, text) {
  return element("span", { title: text, class: "with-number" }, drawn, element("small", { class: "quiet" }, text));
}

function classRows(bins) {
  const cells = ["bin", "rows", "classes"].map((head, i) => element("span", { class: i === 1 ? "head number" : "head" }, head));
  bins.labels.forEach((label, i) => {
    const size = total(bins.counts[i]) || 1;
    let from = 0;
    const segments = bins.counts[i].map((each, c) => { const to = from + each / size; const segment = { kind: `k${c % 8}`, from, to }; from = to; return segment; });
    cells.push(element("span", { class: "words" }, label), element("span", { class: "number" }, count(total(bins.counts[i]))), bar(segments));
  });
  return element("div", { class: "bins many" }, ...cells);
}

function startBins() {
  const { context: { positive }, model } = summary;
  const lead = positive === null
    ? "For each bin: its number of rows and their classes."
    : `For each bin: its number of rows, the rate of ${labels[positive]}, and ${summary.bins.some((bins) => bins.points) ? `the points that it adds to the log-odds of ${labels[positive]}` : `the weight of evidence (WoE), the logarithm of P(bin | ${labels[positive]}) / P(bin | not ${labels[positive]})`}. Importance: ${sentence(model.importance)}.${model.weighted ? " Weight 1 is plain naive Bayes." : ""}`;
  write("selected-lead", summary.bins.length ? lead : "No column was selected.");
  const cards = summary.bins.map((bins) => {
    const importance = percent(summary.columns.importance[bins.column], 0);
    const weight = model.weighted ? `, weight ${decimal(summary.columns.weight[bins.column], 2)}` : "";
    const tags = element("span", { class: "tags" }, `importance ${importance}${weight}`);
    return element("article", { class: "card" }, element("h3", { class: "titled" }, element("span", {}, columnName(bins.column)), tags), positive === null ? classRows(bins) : binRows(bins));
  });
  if (positive === null && cards.length) {
    const legend = labels.slice(0, 24).map((label, c) => element("span", {}, element("i", { class: `key k${c % 8}` }), label));
    byId("selected-lead").after(element("p", { class: "legend" }, ...legend));
  }
  fill("bins", ...cards);
}
