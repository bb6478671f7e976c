// Decision threshold: recall, precision, confusion matrix, profit, ROC curve, cumulative gains and calibration.
const currentCurve = () => summary.sizes[state.size].curves[state.curve];

function resetThreshold() {
  const own = summary.decision && summary.decision.threshold !== null ? summary.decision.threshold : 0.5;
  const distances = currentCurve().threshold.map((each) => Math.abs(each - own));
  state.threshold = distances.indexOf(Math.min(...distances));
  byId("threshold-slider").max = distances.length - 1;
  byId("threshold-slider").value = state.threshold;
}

function confusion(curve, i) {
  const positive = summary.data.classes[curve.class].n_rows;
  const negative = summary.data.n_rows - positive;
  const truePositives = curve.true_positives[i];
  const falsePositives = curve.false_positives[i];
  return { positive, negative, truePositives, falsePositives, falseNegatives: positive - truePositives, trueNegatives: negative - falsePositives };
}

const amount = (id) => Number(byId(id).value) || 0;
const profit = (counts) => counts.truePositives * amount("benefit-true-positive") - counts.falsePositives * amount("cost-false-positive") - counts.falseNegatives * amount("cost-false-negative");

function drawThreshold() {
  const curve = currentCurve();
  const counts = confusion(curve, state.threshold);
  const label = labels[curve.class];
  const other = labels.length === 2 ? labels[1 - curve.class] : "other";
  const predicted = counts.truePositives + counts.falsePositives;
  write("threshold-value", probability(curve.threshold[state.threshold]));
  fill("threshold-facts",
    fact(percent(counts.truePositives / counts.positive), "recall"),
    fact(predicted ? percent(counts.truePositives / predicted) : "–", "precision"),
    fact(percent(predicted / summary.data.n_rows), "of rows predicted positive"));
  fill("threshold-table", table(["", `predicted ${label}`, `predicted ${other}`], [
    [`actual ${label}`, count(counts.truePositives), count(counts.falseNegatives)],
    [`actual ${other}`, count(counts.falsePositives), count(counts.trueNegatives)],
  ]));
  drawProfit(curve, counts);
  const all = curve.threshold.map((_, i) => confusion(curve, i));
  const rates = all.map((each) => [each.falsePositives / each.negative, each.truePositives / each.positive]);
  const gains = all.map((each) => [(each.truePositives + each.falsePositives) / summary.data.n_rows, each.truePositives / each.positive]);
  const draw = (id, axis, points, title) => fill(id, chart({
    label: title, x: unit(axis), y: unit(""), diagonal: true, lines: [{ kind: "held-out", points }], marks: [points[state.threshold]], frame: frames.small,
  }));
  draw("roc", "false positive rate", rates, "ROC curve");
  draw("gains", "rows predicted positive", gains, "Cumulative gains");
  drawCalibration(curve.calibration, label);
}

function drawProfit(curve, counts) {
  if (!amount("benefit-true-positive") && !amount("cost-false-positive") && !amount("cost-false-negative")) {
    write("profit", "Enter amounts to compute the profit at this threshold.");
    return;
  }
  const profits = curve.threshold.map((_, i) => profit(confusion(curve, i)));
  const best = profits.indexOf(Math.max(...profits));
  write("profit", `Profit at this threshold: ${count(profit(counts))}. The best threshold for these amounts is ${probability(curve.threshold[best])}, with a profit of ${count(profits[best])}.`);
}

function drawCalibration(groups, label) {
  const points = groups.predicted.map((each, i) => [each, groups.observed[i]]);
  const top = Math.min(1, Math.max(...points.flat()) * 1.05) || 1;
  const axis = (title) => ({ from: 0, to: top, title, format: (each) => `${Number((100 * each).toPrecision(3))}%` });
  fill("calibration-chart", chart({
    label: "Calibration curve", x: axis(`predicted probability of ${label}`), y: axis("observed frequency"),
    diagonal: true, lines: [{ kind: "held-out", points, dots: 5 }],
  }));
  const rows = points.map(([predicted, observed], i) => [percent(predicted), percent(observed), count(groups.n_rows[i])]);
  fill("calibration-table", table(["mean predicted probability", "observed frequency", "rows"], rows));
}

function startThreshold() {
  const { context, decision } = summary;
  const rule = decision && (decision.threshold === null
    ? `The model acts where probability × predicted amount exceeds the cost, ${context.cost}, so that no single threshold gives its decisions.`
    : `The threshold of the model is ${probability(decision.threshold)}.`);
  const lead = decision
    ? `${rule} Its decisions have a ${evaluated} recall of ${percent(decision.recall)} and a precision of ${percent(decision.precision)} for ${labels[context.positive]}.`
    : "One class against all others.";
  write("threshold-lead", lead);
  const select = byId("class");
  summary.sizes[0].curves.forEach((curve, i) => select.append(element("option", { value: i }, labels[curve.class])));
  byId("class-row").hidden = labels.length === 2;
  select.addEventListener("input", () => { state.curve = Number(select.value); resetThreshold(); drawThreshold(); });
  if (context.amount !== null && context.cost !== null) {
    byId("benefit-true-positive").value = context.amount - context.cost;
    byId("cost-false-positive").value = context.cost;
  }
  for (const id of ["benefit-true-positive", "cost-false-positive", "cost-false-negative"]) byId(id).addEventListener("input", drawThreshold);
  const slider = byId("threshold-slider");
  slider.addEventListener("input", () => { state.threshold = Number(slider.value); drawThreshold(); });
  resetThreshold();
  drawThreshold();
}
