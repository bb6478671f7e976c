// Decisions: what a threshold finds, misses and earns.
const curveNow = () => summary.sizes[state.size].curves[state.curve];

function resetCut() {
  const own = summary.decision ? summary.decision.threshold : 0.5;
  const distances = curveNow().threshold.map((each) => Math.abs(each - own));
  state.cut = distances.indexOf(Math.min(...distances));
  byId("cut-slider").max = distances.length - 1;
  byId("cut-slider").value = state.cut;
}

function counts(curve, cut) {
  const positive = summary.data.classes[curve.class].rows;
  const negative = summary.data.n_rows - positive;
  const hits = curve.true[cut];
  const alarms = curve.false[cut];
  return { positive, negative, hits, alarms, misses: positive - hits, rejections: negative - alarms };
}

const value = (id) => Number(byId(id).value) || 0;
const earned = (found) => found.hits * value("hit") - found.alarms * value("alarm") - found.misses * value("miss");

function drawDecision() {
  const curve = curveNow();
  const found = counts(curve, state.cut);
  const label = labels[curve.class];
  const acted = found.hits + found.alarms;
  write("cut-value", chance(curve.threshold[state.cut]));
  fill("cut-facts",
    fact(percent(found.hits / found.positive), "of them found (recall)"),
    fact(acted ? percent(found.hits / acted) : "–", "of marked rows right (precision)"),
    fact(percent(acted / summary.data.n_rows), "of all rows marked"));
  const other = labels.length === 2 ? labels[1 - curve.class] : "others";
  fill("cut-table", table(["", `taken for ${label}`, "not"], [
    [label, count(found.hits), count(found.misses)],
    [other, count(found.alarms), count(found.rejections)],
  ]));
  drawMoney(curve, found);
  const all = curve.threshold.map((_, i) => counts(curve, i));
  const rates = all.map((each) => [each.alarms / each.negative, each.hits / each.positive]);
  const lifts = all.map((each) => [(each.hits + each.alarms) / summary.data.n_rows, each.hits / each.positive]);
  const draw = (id, title, points, words) => fill(id, chart({
    label: words, x: unit(title), y: unit(""), diagonal: true, lines: [{ kind: "honest", points }], marks: [points[state.cut]], frame: frames.small,
  }));
  draw("roc", "false alarms, of all others", rates, "Receiver operating characteristic");
  draw("lift", "rows marked", lifts, "Cumulative lift");
  drawCalibration(curve.calibration, label);
}

function drawMoney(curve, found) {
  if (!value("hit") && !value("alarm") && !value("miss")) {
    write("money-verdict", "Give amounts to see what a threshold earns.");
    return;
  }
  const profits = curve.threshold.map((_, i) => earned(counts(curve, i)));
  const best = profits.indexOf(Math.max(...profits));
  write("money-verdict", `This threshold earns ${count(earned(found))}; the best for these amounts, ${chance(curve.threshold[best])}, earns ${count(profits[best])}.`);
}

function drawCalibration(groups, label) {
  const points = groups.predicted.map((each, i) => [each, groups.observed[i]]);
  const top = Math.min(1, Math.max(...points.flat()) * 1.05) || 1;
  const axis = (title) => ({ from: 0, to: top, title, format: (each) => `${Number((100 * each).toPrecision(3))} %` });
  fill("calibration", chart({
    label: "Calibration", x: axis(`probability of ${label}, as said`), y: axis("as it happened"),
    diagonal: true, lines: [{ kind: "honest", points, dots: 5 }],
  }));
  const rows = points.map(([said, was], i) => [percent(said), percent(was), count(groups.rows[i])]);
  fill("calibration-table", table(["said", "happened", "rows"], rows));
}

function startDecision() {
  const { question } = summary;
  const own = summary.decision;
  const words = own
    ? `The model's own threshold is ${chance(own.threshold)}. Decided so by models that had not seen the rows: ${percent(own.recall)} of the rows of ${labels[question.positive]} found, ${percent(own.precision)} of the marked rows right.`
    : "Each class against all others.";
  write("decision-lead", words);
  const select = byId("class");
  summary.sizes[0].curves.forEach((curve, i) => select.append(element("option", { value: i }, labels[curve.class])));
  byId("class-row").hidden = labels.length === 2;
  select.addEventListener("input", () => { state.curve = Number(select.value); resetCut(); drawDecision(); });
  if (question.amount !== null && question.cost !== null) {
    byId("hit").value = question.amount - question.cost;
    byId("alarm").value = question.cost;
  }
  for (const id of ["hit", "alarm", "miss"]) byId(id).addEventListener("input", drawDecision);
  const slider = byId("cut-slider");
  slider.addEventListener("input", () => { state.cut = Number(slider.value); drawDecision(); });
  resetCut();
  drawDecision();
}
