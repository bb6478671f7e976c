// The probability of a row that a reader enters, and what each value adds to it.
const model = data.whatIf;

const isMissing = (text) => /^\s*(|\?|na|n\/a|nan|null|none|missing)\s*$/i.test(text);

// Microseconds of the digits after a decimal point, as the model counts them.
const fraction = (digits) => Number(digits.slice(0, 6).padEnd(6, "0")) + Number(digits.slice(6, 9).padEnd(3, "0")) / 1000;

// A number, date, time of day or duration as the model holds it, the latter in microseconds; NaN if it is none.
function numberOf(text, scale) {
  const trimmed = text.trim();
  if (scale === "numeric") return /^(true|false)$/i.test(trimmed) ? Number(/^true$/i.test(trimmed)) : Number(trimmed.replace(/^([+-]?\d+),(\d+)$/, "$1.$2"));
  if (scale === "date") {
    const [, day, clock, digits, zone] = trimmed.match(/^(.*?\d)(?:[T ](\d+:\d+(?::\d+)?)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?)?$/i) ?? [];
    return 1000 * Date.parse(clock ? `${day}T${clock}${zone ?? "Z"}` : day) + fraction(digits ?? "");
  }
  const parts = trimmed.match(/^(?:(-?\d+) days?,\s*)?(\d+):(\d+)(?::(\d+)(?:\.(\d+))?)?$/);
  return parts ? 1e6 * (86400 * Number(parts[1] ?? 0) + 3600 * Number(parts[2]) + 60 * Number(parts[3]) + Number(parts[4] ?? 0)) + fraction(parts[5] ?? "") : NaN;
}

// The group of a category, -1 if there is none.
function groupOf(groups, text) {
  const same = (value) => value === text || (value !== "" && text.trim() !== "" && Number(value) === Number(text));
  const found = groups.findIndex((group) => group.includes(text.trim()));
  return found >= 0 ? found : groups.findIndex((group) => group.some(same));
}

// What a cell of text holds, null if it is missing: a category of the training rows is none, even if it is "none" or "NA".
const cellValue = (bins, text) => (isMissing(text) && (!bins.groups || text.trim() === "" || groupOf(bins.groups, text) < 0) ? null : text);

// The bin of a value, which may be missing (null); null if training had none such, and then it adds nothing.
function binOf(bins, value) {
  if (value === null) return bins.missing;
  return bins.groups ? groupBin(bins, value) : intervalBin(bins, numberOf(value, bins.scale));
}

function groupBin(bins, text) {
  const place = groupOf(bins.groups, text);
  return place >= 0 ? place : bins.other;
}

function intervalBin(bins, value) {
  if (Number.isNaN(value)) return null;
  const special = bins.special.indexOf(value);
  if (special >= 0) return bins.bounds.length + 1 + special;
  let [low, high] = [0, bins.bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bins.bounds[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const sumOf = (values) => values.reduce((sum, each) => sum + each, 0);
const softmax = (scores) => {
  const top = Math.max(...scores);
  const weights = scores.map((each) => Math.exp(each - top));
  return weights.map((each) => each / sumOf(weights));
};
const logSigmoid = (x) => Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));

function interpolate(xs, ys, x) {
  const i = xs.findIndex((each) => each >= x);
  if (i === -1) return ys[ys.length - 1];
  return i === 0 ? ys[0] : ys[i - 1] + ((ys[i] - ys[i - 1]) * (x - xs[i - 1])) / (xs[i] - xs[i - 1]);
}

// Log-odds of a class against all others.
function logOdds(scores, c) {
  const others = scores.filter((_, k) => k !== c);
  const top = Math.max(...others);
  return scores[c] - top - Math.log(sumOf(others.map((each) => Math.exp(each - top))));
}

function calibrated(scores) {
  const trained = scores.map((each, c) => each - model.shift[c]);
  const maps = model.calibration.map((map, k) => {
    const x = logOdds(trained, model.calibration.length === 1 ? model.mapped : k);
    return map.log_odds ? interpolate(map.log_odds, map.probabilities, x) : Math.exp(logSigmoid(map.a * logSigmoid(x) - map.b * logSigmoid(-x) + map.c));
  });
  const plain = maps.length === 1 ? [0, 1].map((c) => (c === model.mapped ? maps[0] : 1 - maps[0])) : sumOf(maps) > 0 ? maps.map((each) => each / sumOf(maps)) : maps.map(() => 1 / maps.length);
  const shifted = plain.map((each, c) => each * Math.exp(model.shift[c] - Math.max(...model.shift)));
  return shifted.map((each) => each / sumOf(shifted));
}

const addTo = (sums, scores) => scores.forEach((each, c) => { sums[c] += each; });

// Terms, scores and probabilities of a row; undefined is a value that is not given, and counts as it does on average.
function predict(values) {
  const terms = [];
  const notGiven = model.start.map(() => 0);
  const add = (name, value, label, scores) => terms.push({ name, value, label, scores: scores ?? model.start.map(() => 0) });
  model.columns.forEach((column, j) => {
    if (!column.scores) return;
    if (values[j] === undefined) { addTo(notGiven, column.not_given); return; }
    const code = binOf(column.bins, values[j]);
    add(column.name, values[j], code === null ? "not in training" : column.bins.labels[code], code === null ? null : column.scores[code]);
  });
  for (const pair of model.pairs) {
    const own = pair.columns.map((j) => values[j]);
    const [a, b] = own.map((value, k) => (value === undefined ? undefined : binOf(pair.bins[k], value)));
    const known = a !== null && b !== null;
    const given = own.findIndex((value) => value !== undefined);
    if (own.includes(undefined)) {
      if (known) addTo(notGiven, given < 0 ? pair.not_given : pair.one_given[given][given ? b : a]);
      continue;
    }
    add(pair.columns.map((j) => model.columns[j].name).join(" × "), own.map((each) => each ?? "missing").join(" × "), known ? `${pair.bins[0].labels[a]} × ${pair.bins[1].labels[b]}` : "not in training", known ? pair.scores[a][b] : null);
  }
  const scores = model.start.map((start, c) => start + notGiven[c] + sumOf(terms.map((term) => term.scores[c])));
  const plain = model.calibration ? calibrated(scores) : softmax(scores);
  const smoothed = model.smooth ? plain.map((p) => (model.mass * p + 0.5 / plain.length) / (model.mass + 0.5)) : plain;
  return { terms, notGiven, scores, probabilities: smoothed };
}

// What scores add to the log-odds of a class: against the other, or against the mean over classes.
const pointsOf = (scores, c) => scores[c] - (scores.length === 2 ? scores[1 - c] : sumOf(scores) / scores.length);
const likeliest = (probabilities) => probabilities.indexOf(Math.max(...probabilities));
const shownClass = (probabilities) => model.positive ?? likeliest(probabilities);
// Where each row has a threshold of its own, by its amount, the class is not known here.
function decided(probabilities) {
  if (model.positive === null) return data.labels[likeliest(probabilities)];
  if (model.threshold === null) return "";
  return data.labels[probabilities[model.positive] > model.threshold ? model.positive : 1 - model.positive];
}
// What follows from the probabilities of a row: nothing, if nothing is known of it.
function decision(values, { probabilities }) {
  if (values.every((value) => value === undefined)) return "Nothing is given: the base rate";
  if (model.positive === null) return probabilities.map((p, k) => [p, k]).sort((a, b) => b[0] - a[0]).slice(0, 5).map(([p, k]) => `${data.labels[k]} ${percent(p)}`).join(", ");
  if (model.threshold === null) return "The decision depends on the amount of the row, too";
  return `Predicted class: ${decided(probabilities)} (threshold ${probability(model.threshold)})`;
}
const ranked = (result, c) => result.terms.map((term) => ({ ...term, points: pointsOf(term.scores, c) })).sort((a, b) => Math.abs(b.points) - Math.abs(a.points));

function pointBar(points, largest) {
  const end = 100 + 98 * Math.max(-1, Math.min(1, points / largest));
  const drawn = shape("svg", { viewBox: "0 0 200 20", preserveAspectRatio: "none", "aria-hidden": "true" });
  drawn.append(shape("rect", { class: points > 0 ? "plus" : "minus", x: Math.min(100, end), y: 3, width: Math.abs(end - 100), height: 14 }), shape("rect", { class: "middle", x: 99.5, y: 0, width: 1, height: 20 }));
  return drawn;
}

// The log-odds of the probability, where calibration or half a row changes them.
function afterwards({ probabilities }, c, sum) {
  if (probabilities.length !== 2) return "";
  const after = Math.log(probabilities[c] / probabilities[1 - c]);
  return Math.abs(after - sum) < (model.calibration ? 0 : data.visible) ? "" : `; ${model.calibration ? "calibrated" : "kept away from certainty"}: ${signed(after)}`;
}

function drawWhatIf() {
  const values = model.columns.map(({ bins }, j) => fieldValue(byId(`field-${j}`), bins));
  const result = predict(values);
  const c = shownClass(result.probabilities);
  const terms = ranked(result, c);
  const largest = Math.max(0.5, ...terms.map((term) => Math.abs(term.points)));
  const cells = ["value", "bin", "points"].map((head, i) => element("span", { class: i ? "head" : "head words" }, head));
  const line = (name, label, points) => cells.push(element("span", { class: "words" }, name), element("span", { class: "words quiet" }, label), element("span", { class: "with-number" }, pointBar(points, largest), element("small", {}, signed(points))));
  line("intercept", "\u00a0", pointsOf(model.start, c));
  for (const term of terms) line(`${term.name} = ${term.value ?? "missing"}`, term.label, term.points);
  if (result.notGiven.some((each) => each !== 0)) line("what is not given", "on average", pointsOf(result.notGiven, c));
  const sum = pointsOf(result.scores, c);
  const others = decision(values, result);
  fill("what-if-result",
    element("p", { class: "probability" }, `P(${data.labels[c]}) = ${probability(result.probabilities[c])}`),
    element("p", { class: "quiet" }, `${others}. Sum of points: ${signed(sum)}${afterwards(result, c, sum)}.`),
    element("div", { class: "bins three" }, ...cells));
}

// A number near the middle.
const example = ({ bins: { bounds }, are_integers: areIntegers }) => (areIntegers ? Math.floor : Number)(bounds[bounds.length >> 1]);

// undefined: not given; null: missing. The options of a list are "not given", the categories, and perhaps "missing".
function fieldValue(field, bins) {
  if (field.options) return field.selectedIndex < 1 ? undefined : field.selectedOptions[0].dataset.missing ? null : field.value;
  return field.value === "" ? undefined : cellValue(bins, field.value);
}

function fieldOfColumn(column, j) {
  const { groups, missing, scale, bounds } = column.bins;
  const attributes = { id: `field-${j}` };
  if (groups) {
    const values = groups.flat().sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const options = [element("option", { value: "" }, "not given"), ...values.map((value) => element("option", { value }, value))];
    if (missing !== null) options.push(element("option", { value: "missing", "data-missing": "yes" }, "missing"));
    return element("select", attributes, ...options);
  }
  const hint = scale === "date" ? "2024-12-31" : scale === "numeric" ? (bounds.length ? String(example(column)) : "a number") : "10:30:00";
  return element("input", { ...attributes, type: "text", autocomplete: "off", placeholder: missing === null ? `such as ${hint}` : `${hint} or missing` });
}

function startWhatIf() {
  const fields = model.columns.flatMap((column, j) => [element("label", { for: `field-${j}` }, column.name), fieldOfColumn(column, j)]);
  fill("what-if-fields", ...fields);
  byId("what-if-fields").addEventListener("input", (event) => {
    const { bins } = model.columns[Number(event.target.id.slice(6))];
    const value = fieldValue(event.target, bins);
    event.target.classList.toggle("unknown", value !== undefined && binOf(bins, value) === null);
    drawWhatIf();
  });
  byId("what-if-clear").addEventListener("click", () => {
    for (const field of byId("what-if-fields").querySelectorAll("input, select")) { field[field.options ? "selectedIndex" : "value"] = field.options ? 0 : ""; field.classList.remove("unknown"); }
    drawWhatIf();
  });
  drawWhatIf();
  startManyRows();
}
