// The contribution of each cell of a pair of columns, as a heat map, and the terms of the model.
const mostTerms = 40;
const pairName = (columns) => columns.map(columnName).join(" × ");
const withPairs = () => (summary.pairs.length ? ` and ${summary.pairs.length} ${summary.pairs.length === 1 ? "pair" : "pairs"} of columns` : "");

// The column with more bins is that of the rows, so that the table is narrow.
function upright(pair, shown) {
  const turned = pair.labels[1].length > pair.labels[0].length;
  const turn = (cells) => (turned ? cells[0].map((_, k) => cells.map((row) => row[k])) : cells);
  const [first, second] = turned ? [1, 0] : [0, 1];
  return {
    names: [columnName(pair.columns[first]), columnName(pair.columns[second])],
    labels: [pair.labels[first], pair.labels[second]],
    counts: turn(pair.counts), contribution: turn(shown.contribution), rate: turn(shown.rate),
  };
}

function heatCell(tag, value, largest, attributes, ...children) {
  const made = element(tag, { ...attributes, class: value > 0 ? "heat plus-heat" : "heat minus-heat" }, ...children);
  made.style.setProperty("--strength", (0.72 * Math.min(1, Math.abs(value) / largest)).toFixed(3));
  return made;
}

function heatMap(pair, shown, largest) {
  const { names, labels: bins, counts, contribution, rate } = upright(pair, shown);
  const label = labels[shown.class];
  const head = element("tr", {}, element("th", { scope: "col", class: "corner" }, names[0]),
    ...bins[1].map((bin) => element("th", { scope: "col" }, bin)));
  const top = element("tr", {}, element("td", { class: "corner" }), element("th", { scope: "colgroup", colspan: bins[1].length, class: "over" }, names[1]));
  const rows = bins[0].map((bin, i) => element("tr", {}, element("th", { scope: "row" }, bin), ...bins[1].map((other, k) => {
    const rows = `${count(counts[i][k])} ${counts[i][k] === 1 ? "row" : "rows"}`;
    const tooltip = `${names[0]}: ${bin}\n${names[1]}: ${other}\nlog-odds ${signed(contribution[i][k], 3)}, ${rows}, rate of ${label} ${percent(rate[i][k])}`;
    return heatCell("td", contribution[i][k], largest, { title: tooltip }, element("b", {}, signed(contribution[i][k])), element("small", {}, count(counts[i][k])));
  })));
  return element("div", { class: "scroll" }, element("table", { class: "heat-map" }, element("thead", {}, top, head), element("tbody", {}, ...rows)));
}

function heatLegend(largest) {
  const steps = [-1, -0.5, 0, 0.5, 1].map((step) => heatCell("span", step * largest, largest, {}, signed(step * largest)));
  return element("p", { class: "legend heat-legend" }, element("span", {}, "less probable"), ...steps, element("span", {}, "more probable"));
}

// What each column of a pair adds alone.
function alone(pair) {
  const bins = pair.columns.map((j) => summary.bins.find((each) => each.column === j)).filter(Boolean);
  if (!bins.length) return [];
  const shown = bins.flatMap((each) => [element("h4", {}, columnName(each.column)), summary.context.positive === null ? classRows(each) : binRows(each)]);
  return [element("details", {}, element("summary", {}, `Bins of ${bins.map((each) => columnName(each.column)).join(" and of ")} alone`), ...shown)];
}

function drawPairs(place) {
  const cards = summary.pairs.map((pair) => {
    const shown = pair.classes[place];
    const largest = Math.max(...shown.contribution.flat().map(Math.abs), 0.01);
    const term = summary.terms.find((each) => each.columns.length === 2 && each.columns.every((j, i) => j === pair.columns[i]));
    const tags = [`importance ${percent(term.importance, 0)}`];
    if (term.log_bayes_factor !== null) tags.push(`log Bayes factor ${decimal(term.log_bayes_factor, 1)}`);
    const title = element("h3", { class: "titled" }, element("span", {}, pairName(pair.columns)), element("span", { class: "tags" }, tags.join(", ")));
    return element("article", { class: "card" }, title, heatMap(pair, shown, largest), heatLegend(largest), ...alone(pair));
  });
  fill("heat-maps", ...cards);
}

function drawTerms() {
  const digits = (value) => (value === null ? "" : String(Number(value.toPrecision(3))));
  const rows = summary.terms.slice(0, mostTerms).map((term) => [pairName(term.columns), percent(term.importance), digits(term.log_bayes_factor), digits(term.gain)]);
  if (summary.terms.length > mostTerms) rows.push([`and ${summary.terms.length - mostTerms} more`, "", "", ""]);
  fill("terms", table(["term", "importance", "log Bayes factor", "gain (log loss)"], rows));
}

function startPairs() {
  const { pairs, context: { positive } } = summary;
  byId("pairs").hidden = byId("pairs-link").hidden = pairs.length === 0;
  if (!pairs.length) return;
  const relative = positive === null ? "the score of the class, relative to the mean over classes," : `the log-odds of ${labels[positive]}`;
  write("pairs-lead", `What the values of two columns add to ${relative} together, beyond what each adds alone. Red cells make the class more probable, blue cells less. The small number is the number of training rows.`);
  write("terms-lead", "Log Bayes factor: evidence for the pair against none; above 0, for it. Gain: improvement of the out-of-fold log loss per row by the pair. In the importance of columns, that of a pair is divided equally between its two columns.");
  const select = byId("pairs-class");
  pairs[0].classes.forEach((each, i) => select.append(element("option", { value: i }, labels[each.class])));
  byId("pairs-class-row").hidden = pairs[0].classes.length === 1;
  select.addEventListener("input", () => drawPairs(Number(select.value)));
  drawPairs(0);
  drawTerms();
}
