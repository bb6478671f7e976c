// The bins of each chosen column, as pictures.
function bar(parts, width = 200) {
  const drawn = shape("svg", { viewBox: `0 0 ${width} 20`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const { kind, from, to } of parts) {
    const [low, high] = from < to ? [from, to] : [to, from];
    drawn.append(shape("rect", { class: kind, x: low * width, y: 2, width: Math.max((high - low) * width, 0), height: 16 }));
  }
  return drawn;
}

const total = (numbers) => numbers.reduce((sum, each) => sum + each, 0);

function binRows(bins) {
  const sizes = bins.counts.map(total);
  const most = Math.max(...sizes);
  // Beyond 4, a bin has hardly a row of one class: such bars are cut so that others can be seen.
  const strongest = Math.min(Math.max(...bins.evidence.map(Math.abs), 0.01), 4);
  const cells = ["bin", "rows", "rate", "evidence"].map((head, i) => element("span", { class: i === 2 ? "head number" : "head" }, head));
  bins.words.forEach((words, i) => {
    const weight = bins.evidence[i];
    const middle = { kind: "bar-back", from: 0.497, to: 0.503 };
    const pull = { kind: weight > 0 ? "plus" : "minus", from: 0.5, to: 0.5 + 0.48 * Math.max(-1, Math.min(1, weight / strongest)) };
    const rows = bar([{ kind: "bar-back", from: 0, to: 1 }, { kind: "bar-rows", from: 0, to: sizes[i] / most }]);
    const evidence = bar([middle, pull]);
    cells.push(element("span", { class: "words" }, words), labelled(rows, count(sizes[i])),
      element("span", { class: "number" }, percent(bins.rate[i])), labelled(evidence, signed(weight)));
  });
  return element("div", { class: "bins" }, ...cells);
}

// A bar with its number, which readers that see no bar are told too.
function labelled(drawn, words) {
  return element("span", { title: words, class: "with-number" }, drawn, element("small", { class: "quiet" }, words));
}

function classRows(bins) {
  const cells = ["bin", "rows", "classes"].map((head, i) => element("span", { class: i === 1 ? "head number" : "head" }, head));
  bins.words.forEach((words, i) => {
    const size = total(bins.counts[i]) || 1;
    let from = 0;
    const parts = bins.counts[i].map((each, c) => { const to = from + each / size; const part = { kind: `k${c % 8}`, from, to }; from = to; return part; });
    cells.push(element("span", { class: "words" }, words), element("span", { class: "number" }, count(total(bins.counts[i]))), bar(parts));
  });
  return element("div", { class: "bins many" }, ...cells);
}

function startBins() {
  const { positive } = summary.question;
  const lead = positive === null
    ? "Each bin with its rows and the classes among them."
    : `Each bin with its rows, how many of them are ${labels[positive]}, and its weight of evidence: log of how much more frequent the bin is among them than among others.`;
  write("chosen-lead", summary.bins.length ? lead : "None was chosen.");
  const cards = summary.bins.map((bins) => {
    const share = percent(summary.columns.importance[bins.column], 0);
    const tags = element("span", { class: "tags" }, `${share} of what is said, weight ${decimal(summary.columns.weight[bins.column], 2)}`);
    return element("article", { class: "card" }, element("h3", { class: "titled" }, element("span", {}, columnName(bins.column)), tags), positive === null ? classRows(bins) : binRows(bins));
  });
  if (positive === null && cards.length) {
    const legend = labels.slice(0, 24).map((label, c) => element("span", {}, element("i", { class: `key k${c % 8}` }), label));
    byId("chosen-lead").after(element("p", { class: "legend" }, ...legend));
  }
  fill("bins", ...cards);
}
