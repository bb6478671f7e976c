// Lift by decile, cumulative gains, and what a budget reaches.
const cumulative = (values) => { let sum = 0; return values.map((each) => (sum += each)); };

function drawLift(curve, all) {
  const positive = data.classRows[curve.class] || 1;
  const share = positive / nRows;
  const { n_rows: rows, n_positive: found, lowest } = curve.deciles;
  const [reached, gained] = [cumulative(rows), cumulative(found)];
  const gains = chartOf("gains");
  moveLine(gains, "perfect", [[0, 0], [share, 1]]);
  moveLine(gains, "held-out", all.map((each) => [(each.truePositives + each.falsePositives) / nRows, each.truePositives / positive]));
  moveDots(gains, "held-out", reached.map((n, k) => [n / nRows, gained[k] / positive]), 3);
  const lift = chartOf("lift");
  const top = Number(lift.dataset.y.split(" ")[1]);
  const ends = rows.map((n, k) => wilson(found[k], n).map((each) => Math.min(each / share, top)));
  moveBars(lift, "held-out", rows.map((n, k) => [k + 0.6, k + 1.4, Math.min(found[k] / n / share, top)]));
  moveWhiskers(lift, ends.map(([low, high], k) => [k + 1, low, high]));
  fillRows(byId("decile-table").tBodies[0], rows.map((n, k) => [
    k + 1, count(n), count(Math.round(found[k])), percent(found[k] / n), interval(wilson(found[k], n)), (found[k] / n / share).toFixed(2),
    percent(gained[k] / positive), (gained[k] / reached[k] / share).toFixed(2), probability(lowest[k]),
  ]));
  const points = currentSize().profit_points;
  if (points) moveLine(chartOf("profit-curve"), "held-out", points.n_acted.map((n, k) => [n, points.profit[k]]));
  write("lift-lead", `The tenth of the rows with the largest predicted probability of ${data.labels[curve.class]} holds ${percent(found[0] / positive, 0)} of all ${data.labels[curve.class]}: a lift of ${(found[0] / rows[0] / share).toFixed(1)}.`);
  drawBudget();
}

// Numbers of rows of which it is known how many are positive, at which threshold: those of the curve and of the tenths.
function knownBudgets(curve) {
  const { n_rows: rows, n_positive: found, lowest } = curve.deciles;
  const [reached, gained] = [cumulative(rows), cumulative(found)];
  const counted = curve.threshold.map((cut, i) => [curve.true_positives[i] + curve.false_positives[i], curve.true_positives[i], cut]);
  return [[0, 0, 1], ...counted, ...reached.map((n, k) => [n, gained[k], lowest[k]])].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

// Where amounts depend on the row, rows are ranked by expected profit, as `predict --budget` does.
function drawProfitBudget(points, budget) {
  const above = Math.max(points.n_acted.findIndex((n) => n >= budget), 0);
  const below = Math.max(above - 1, 0);
  const step = points.n_acted[above] - points.n_acted[below];
  const part = points.n_acted[above] === budget || !step ? 1 : (budget - points.n_acted[below]) / step;
  const between = (values) => values[below] + part * (values[above] - values[below]);
  const found = Math.round(between(points.n_positive));
  const profit = between(points.profit);
  const label = data.labels[currentCurve().class];
  moveMark(chartOf("profit-curve"), budget, profit);
  write("budget-text", budget
    ? `The ${count(budget)} rows with the largest expected profit hold ${part === 1 ? "" : "about "}${count(found)} ${label}: ${percent(found / budget)} of them. Profit: ${part === 1 ? "" : "about "}${money(profit)}. The expected profit of the last row is ${part === 1 ? "" : "about "}${money(points.lowest[above])}.`
    : "Enter a number of rows.");
}

// Between two of them, rows are taken in proportion.
function drawBudget() {
  const curve = currentCurve();
  const budget = Math.max(0, Math.min(nRows, Number(byId("budget").value) || 0));
  const points = currentSize().profit_points;
  if (points) {
    drawProfitBudget(points, budget);
    return;
  }
  const known = knownBudgets(curve);
  const above = Math.max(known.findIndex(([n]) => n >= budget), 0);
  const below = Math.max(above - 1, 0);
  const part = known[above][0] > known[below][0] ? (budget - known[below][0]) / (known[above][0] - known[below][0]) : 0;
  const between = (field) => known[below][field] + part * (known[above][field] - known[below][field]);
  const found = Math.round(between(1));
  const cut = between(2);
  const positive = data.classRows[curve.class] || 1;
  const label = data.labels[curve.class];
  moveMark(chartOf("gains"), budget / nRows, found / positive);
  const money = amount("benefit-true-positive") || amount("cost-false-positive") || amount("cost-false-negative")
    ? ` Profit: ${count(Math.round(found * amount("benefit-true-positive") - (budget - found) * amount("cost-false-positive") - (positive - found) * amount("cost-false-negative")))}.` : "";
  write("budget-text", budget
    ? `The ${count(budget)} rows with the largest probabilities hold about ${count(found)} of class ${label}: ${percent(found / budget)} of them, ${percent(found / positive)} of all rows of this class, a lift of ${(found / budget / (positive / nRows)).toFixed(1)}. The threshold is about ${probability(cut)}.${money}`
    : "Enter a number of rows.");
}

function startLift() {
  byId("budget").addEventListener("input", drawBudget);
  drawBudget();
}
