// What the chosen columns share, and how often each was chosen again.
function startAgreement() {
  const { columns, matrix } = summary.agreement;
  const side = 38;
  const text = 190;
  const drawn = shape("svg", { viewBox: `0 0 ${text + side * columns.length} ${side * columns.length + 24}`, role: "img", "aria-label": "What two columns share" });
  drawn.style.maxWidth = `${1.15 * (text + side * columns.length)}px`;
  columns.forEach((column, i) => {
    const name = columnName(column);
    const words = shape("text", { x: text - 8, y: 24 + side * i + side / 2 + 4, "text-anchor": "end" }, `${name.length > 24 ? name.slice(0, 23) + "…" : name} (${i + 1})`);
    words.append(shape("title", {}, name));
    drawn.append(words, shape("text", { x: text + side * (i + 0.5), y: 16, class: "cell-text" }, i + 1));
    matrix[i].forEach((share, k) => {
      const cell = shape("rect", { class: "cell", x: text + side * k + 1, y: 24 + side * i + 1, width: side - 2, height: side - 2, rx: 4, "fill-opacity": (0.06 + 0.94 * share).toFixed(3) });
      cell.append(shape("title", {}, `${name} and ${columnName(columns[k])}: ${decimal(share, 2)}`));
      drawn.append(cell, shape("text", { x: text + side * (k + 0.5), y: 24 + side * i + side / 2 + 4, class: share > 0.5 ? "cell-text on-dark" : "cell-text" }, share >= 0.005 ? (share < 0.995 ? decimal(share, 2).slice(1) : "1") : "0"));
    });
  });
  fill("matrix", columns.length > 1 ? drawn : element("p", { class: "quiet" }, "Fewer than two columns were chosen."));
  const { n_folds: nFolds, jaccard, sizes } = summary.stability;
  if (!nFolds) {
    write("stability-lead", "One model was fitted, and not again without parts of the rows: how often each column would be chosen is not known.");
    return;
  }
  write("stability-lead", `The selection was repeated ${nFolds} times, each time without one part of the rows: ${Math.min(...sizes)} to ${Math.max(...sizes)} columns, of which two selections share ${percent(jaccard, 0)} on average (Jaccard index).`);
  const order = summary.columns.name.map((_, j) => j).filter((j) => summary.columns.folds[j] > 0 || summary.columns.weight[j] !== null);
  order.sort((a, b) => summary.columns.folds[b] - summary.columns.folds[a] || summary.columns.importance[b] - summary.columns.importance[a] || a - b);
  const cells = order.slice(0, 24).flatMap((j) => [
    element("span", { class: "words" }, columnName(j) + (summary.columns.weight[j] === null ? " (not chosen)" : "")),
    bar([{ kind: "bar-back", from: 0, to: 1 }, { kind: "cell", from: 0, to: summary.columns.folds[j] / nFolds }]),
    element("span", { class: "number" }, `${summary.columns.folds[j]} of ${nFolds}`),
  ]);
  const rest = order.length > 24 ? [element("span", { class: "quiet" }, `and ${order.length - 24} more, in the table below`)] : [];
  fill("stability", element("div", { class: "again" }, ...cells), ...rest);
}
