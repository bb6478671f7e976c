// Decision threshold: rates, confusion matrix, profit, and the curves of the present size and class.
const currentSize = () => (data.sizes[state.size].curves.length ? data.sizes[state.size] : data.sizes.find((size) => size.selected));
const currentCurve = () => currentSize().curves[state.curve];

function resetThreshold() {
  const distances = currentCurve().threshold.map((each) => Math.abs(each - data.threshold));
  state.threshold = distances.indexOf(Math.min(...distances));
  byId("threshold-slider").max = distances.length - 1;
  byId("threshold-slider").value = state.threshold;
}

function confusion(curve, i) {
  const positive = data.classRows[curve.class];
  const negative = nRows - positive;
  const [truePositives, falsePositives] = [curve.true_positives[i], curve.false_positives[i]];
  return { positive, negative, truePositives, falsePositives, falseNegatives: positive - truePositives, trueNegatives: negative - falsePositives };
}

function writeRate(id, part, whole) {
  const [value, text] = byId(id).children;
  value.textContent = whole ? percent(part / whole) : "–";
  text.querySelector("small").textContent = whole ? interval(wilson(part, whole)) : "";
}

const amount = (id) => Number(byId(id)?.value) || 0;
const profit = (counts) => counts.truePositives * amount("benefit-true-positive") - counts.falsePositives * amount("cost-false-positive") - counts.falseNegatives * amount("cost-false-negative");

function drawThreshold() {
  const curve = currentCurve();
  const counts = confusion(curve, state.threshold);
  const predicted = counts.truePositives + counts.falsePositives;
  write("threshold-value", probability(curve.threshold[state.threshold]));
  writeRate("sensitivity", counts.truePositives, counts.positive);
  writeRate("specificity", counts.trueNegatives, counts.negative);
  writeRate("precision", counts.truePositives, predicted);
  writeRate("npv", counts.trueNegatives, nRows - predicted);
  const label = data.labels[curve.class];
  const other = data.labels.length === 2 ? data.labels[1 - curve.class] : "other";
  const heads = byId("threshold-table").querySelectorAll("thead th");
  [heads[1].textContent, heads[2].textContent] = [`predicted ${label}`, `predicted ${other}`];
  fillRows(bodyOf("threshold-table"), [
    [`actual ${label}`, count(counts.truePositives), count(counts.falseNegatives)],
    [`actual ${other}`, count(counts.falsePositives), count(counts.trueNegatives)],
  ]);
  write("threshold-text", `${percent(predicted / nRows)} of rows are predicted positive${counts.truePositives ? `; ${(predicted / counts.truePositives).toFixed(1)} rows are predicted positive for each true positive` : ""}.`);
  moveMark(chartOf("roc"), counts.falsePositives / (counts.negative || 1), counts.truePositives / counts.positive);
  moveMark(chartOf("pr"), counts.truePositives / counts.positive, counts.truePositives / Math.max(predicted, 1));
  moveCursor(chartOf("rates"), curve.threshold[state.threshold]);
  moveCursor(chartOf("net-benefit"), curve.threshold[state.threshold]);
  drawProfit(curve, counts);
}

function drawProfit(curve, counts) {
  if (!byId("profit")) return; // amounts depend on the row
  byId("use-best").hidden = true;
  if (!amount("benefit-true-positive") && !amount("cost-false-positive") && !amount("cost-false-negative")) {
    write("profit", "Enter amounts to compute the profit at this threshold.");
    return;
  }
  const profits = curve.threshold.map((_, i) => profit(confusion(curve, i)));
  const best = profits.indexOf(Math.max(...profits));
  byId("use-best").hidden = best === state.threshold;
  byId("use-best").dataset.best = best;
  write("profit", `Profit at this threshold: ${count(profit(counts))}. The best threshold for these amounts is ${probability(curve.threshold[best])}, with a profit of ${count(profits[best])}.`);
}

// All that depends on size and class.
function drawCurve() {
  const curve = currentCurve();
  const all = curve.threshold.map((_, i) => confusion(curve, i));
  const recall = all.map((each) => each.truePositives / (each.positive || 1));
  moveLine(chartOf("roc"), "held-out", all.map((each, i) => [each.falsePositives / (each.negative || 1), recall[i]]));
  moveLine(chartOf("pr"), "held-out", all.map((each, i) => [recall[i], each.truePositives / (each.truePositives + each.falsePositives)]).filter(([, y]) => !Number.isNaN(y)));
  moveLine(chartOf("rates"), "held-out", curve.threshold.map((t, i) => [t, recall[i]]));
  moveLine(chartOf("rates"), "optimistic", all.map((each, i) => [curve.threshold[i], each.trueNegatives / (each.negative || 1)]));
  moveShare(chartOf("pr"), data.classRows[curve.class] / nRows);
  for (const name of document.querySelectorAll(".class-name")) name.textContent = data.labels[curve.class];
  drawNetBenefit(curve, all);
  drawLift(curve, all);
  drawCalibration(curve);
  drawThreshold();
}

function drawNetBenefit(curve, all) {
  const chart = chartOf("net-benefit");
  const share = data.classRows[curve.class] / nRows;
  const low = Number(chart.dataset.y.split(" ")[0]);
  const benefit = (t, hits, alarms) => [t, Math.max(low, (hits - (alarms * t) / (1 - t)) / nRows)];
  moveLine(chart, "held-out", all.map((each, i) => [curve.threshold[i], each]).filter(([t, each]) => t < 0.99 && each.truePositives + each.falsePositives >= Math.min(data.fewestPositive, nRows)).map(([t, each]) => benefit(t, each.truePositives, each.falsePositives)));
  const last = (share - low) / (1 - low);
  moveLine(chart, "all-rows", Array.from({ length: 30 }, (_, k) => (last * k) / 29).map((t) => [t, share - ((1 - share) * t) / (1 - t)]));
}

function drawCalibration(curve) {
  const { predicted, observed, low, high, n_rows: rows } = curve.calibration;
  const chart = chartOf("calibration-chart");
  const top = Number(chart.dataset.y.split(" ")[1]);
  const points = predicted.map((each, i) => [Math.min(each, top), Math.min(observed[i], top)]);
  moveLine(chart, "held-out", points);
  moveDots(chart, "held-out", points, 4);
  moveWhiskers(chart, predicted.map((each, i) => [Math.min(each, top), low[i], Math.min(high[i], top)]));
  fillRows(byId("calibration-table").tBodies[0], predicted.map((each, i) => [percent(each), percent(observed[i]), interval([low[i], high[i]]), count(rows[i])]));
  const { positive, others } = curve.histogram;
  const bars = (values) => values.map((n, k) => [k / values.length, (k + 1) / values.length, n]).filter(([, , n]) => n);
  const histogram = chartOf("histogram");
  const most = Number(histogram.dataset.y.split(" ")[1]);
  moveBars(histogram, "others", bars(positive.map((n, k) => Math.min(n + others[k], most))));
  moveBars(histogram, "held-out", bars(positive.map((n) => Math.min(n, most))));
  byId("histogram-cut").hidden = positive.every((n, k) => n + others[k] <= most);
}

function startThreshold() {
  byId("class")?.addEventListener("input", () => { state.curve = Number(byId("class").value); resetThreshold(); drawCurve(); });
  for (const id of ["benefit-true-positive", "cost-false-positive", "cost-false-negative"]) byId(id)?.addEventListener("input", () => { drawThreshold(); drawBudget(); });
  const slider = byId("threshold-slider");
  slider.addEventListener("input", () => { state.threshold = Number(slider.value); drawThreshold(); });
  byId("use-best")?.addEventListener("click", () => { state.threshold = Number(byId("use-best").dataset.best); slider.value = state.threshold; drawThreshold(); });
  resetThreshold();
  drawThreshold();
}
