// The points of each cell of a pair of columns, as a heat map.
function pairTable(pair) {
  const strongest = Math.max(...pair.points.flat().map(Math.abs), 0.01);
  const head = element("tr", {}, element("th", {}, ""), ...pair.labels[1].map((label) => element("th", { scope: "col" }, label)));
  const body = pair.labels[0].map((label, a) => element("tr", {}, element("th", { scope: "row" }, label), ...pair.points[a].map((points, b) => {
    const cell = element("td", { class: points < 0 ? "heat negative" : "heat", title: `${count(pair.n_rows[a][b])} rows` }, signed(points));
    cell.style.setProperty("--heat", `${Math.round((60 * Math.abs(points)) / strongest)}%`);
    return cell;
  })));
  return element("div", { class: "scroll" }, element("table", { class: "heat-map" }, element("thead", {}, head), element("tbody", {}, ...body)));
}

function startPairs() {
  const { pairs, context: { positive } } = summary;
  byId("pairs-part").hidden = !pairs.length;
  if (!pairs.length) return;
  write("pairs-lead", `Points that two columns together add to the log-odds of ${labels[positive]}, beyond the points of each column. Gain: the improvement of the out-of-fold log loss, per row.`);
  fill("pairs", ...pairs.map((pair) => {
    const [first, second] = pair.columns.map(columnName);
    const found = pair.log_bayes_factor === null ? "" : `, log Bayes factor ${decimal(pair.log_bayes_factor, 1)}, gain ${decimal(pair.gain, 4)}`;
    const tags = element("span", { class: "tags" }, `importance ${percent(pair.importance, 0)}${found}`);
    const axes = element("p", { class: "quiet" }, `Rows of the table: ${first}; columns: ${second}`);
    return element("article", { class: "card" }, element("h3", { class: "titled" }, element("span", {}, `${first} × ${second}`), tags), axes, pairTable(pair));
  }));
}
