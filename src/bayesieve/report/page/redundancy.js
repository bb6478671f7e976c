// Pairwise redundancy of the selected columns, and how often each was selected.
function startRedundancy() {
  const { columns, matrix } = summary.redundancy;
  const side = 38;
  const text = 190;
  const drawn = shape("svg", { viewBox: `0 0 ${text + side * columns.length} ${side * columns.length + 24}`, role: "img", "aria-label": "Pairwise redundancy" });
  drawn.style.maxWidth = `${1.15 * (text + side * columns.length)}px`;
  columns.forEach((column, i) => {
    const name = columnName(column);
    const title = shape("text", { x: text - 8, y: 24 + side * i + side / 2 + 4, "text-anchor": "end" }, `${name.length > 24 ? name.slice(0, 23) + "…" : name} (${i + 1})`);
    title.append(shape("title", {}, name));
    drawn.append(title, shape("text", { x: text + side * (i + 0.5), y: 16, class: "cell-text" }, i + 1));
    matrix[i].forEach((redundancy, k) => {
      const cell = shape("rect", { class: "cell", x: text + side * k + 1, y: 24 + side * i + 1, width: side - 2, height: side - 2, rx: 4, "fill-opacity": (0.06 + 0.94 * redundancy).toFixed(3) });
      cell.append(shape("title", {}, `${name} and ${columnName(columns[k])}: ${decimal(redundancy, 2)}`));
      drawn.append(cell, shape("text", { x: text + side * (k + 0.5), y: 24 + side * i + side / 2 + 4, class: redundancy > 0.5 ? "cell-text on-dark" : "cell-text" }, redundancy >= 0.005 ? (redundancy < 0.995 ? decimal(redundancy, 2).slice(1) : "1") : "0"));
    });
  });
  fill("matrix", columns.length > 1 ? drawn : element("p", { class: "quiet" }, "Fewer than two columns were selected."));
  const { n_folds: nFolds, jaccard, sizes } = summary.stability;
  if (!nFolds) {
    write("stability-lead", "Unknown: a single model was fitted, without cross-validation.");
    return;
  }
  const [fewest, most] = [Math.min(...sizes), Math.max(...sizes)];
  const perFold = fewest < most ? `Between ${fewest} and ${most} columns were` : most === 1 ? "1 column was" : `${most} columns were`;
  const unstable = rarelySelected() ? " Columns selected in few folds are unstable; see pairwise redundancy." : "";
  write("stability-lead", `The selection was repeated ${nFolds} times, each time leaving out one fold, on which the scores were then computed. ${perFold} selected per fold; the mean Jaccard index of two selections is ${decimal(jaccard, 2)} (1: the same columns).${unstable}`);
  const order = summary.columns.name.map((_, j) => j).filter((j) => summary.columns.n_folds_selected[j] > 0 || summary.columns.selected[j]);
  order.sort((a, b) => summary.columns.n_folds_selected[b] - summary.columns.n_folds_selected[a] || summary.columns.importance[b] - summary.columns.importance[a] || a - b);
  const cells = order.slice(0, 24).flatMap((j) => [
    element("span", { class: "words" }, columnName(j) + (summary.columns.selected[j] ? "" : " (not selected)")),
    bar([{ kind: "bar-back", from: 0, to: 1 }, { kind: "cell", from: 0, to: summary.columns.n_folds_selected[j] / nFolds }]),
    element("span", { class: "number" }, `${summary.columns.n_folds_selected[j]} of ${nFolds}`),
  ]);
  const rest = order.length > 24 ? [element("span", { class: "quiet" }, `and ${order.length - 24} more, in the table below`)] : [];
  fill("stability", element("div", { class: "frequencies" }, ...cells), ...rest);
}
