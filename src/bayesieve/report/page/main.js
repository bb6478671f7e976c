// The head of the page, its theme, and the start of all sections.
function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  write("theme", dark ? "Light" : "Dark");
}

function startHead() {
  const { context, data, sizes } = summary;
  const selected = sizes.find((size) => size.selected);
  const omitted = data.n_without_target ? ` (${count(data.n_without_target)} ${data.n_without_target === 1 ? "row without a target value was" : "rows without a target value were"} left out)` : "";
  write("context", [context.source, `target: ${context.target}`, `goal: ${context.goal_title}`].filter(Boolean).join(" · "));
  write("verdict", summary.verdict);
  const types = Object.entries(data.types).map(([type, n]) => `${count(n)} ${typeNames[type]}`).join(", ");
  const shares = data.classes.map((each) => `${each.label} ${percent(each.n_rows / data.n_rows, 0)}`);
  const { n_train: nTrain, description } = summary.evaluation;
  write("evaluation", description);
  const { auc, accuracy } = selected.held_out;
  fill("facts",
    nTrain === null ? fact(count(data.n_rows), `rows${omitted}`)
      : fact(count(nTrain + data.n_rows), `rows${omitted}, of which ${count(data.n_rows)} held out`),
    fact(`${selected.n_columns} of ${count(data.n_columns)}`, `columns selected${withPairs()} (${types})`),
    fact(decimal(auc.mean, 3), `ROC AUC, ± ${decimal(auc.standard_error, 3)} (${overFolds})`),
    fact(percent(accuracy.mean), `accuracy of the most probable class, ± ${percent(accuracy.standard_error)}`),
    labels.length === 2 ? fact(percent(data.classes[context.positive].n_rows / data.n_rows), `${labels[context.positive]} (positive class); the rest are ${labels[1 - context.positive]}`)
      : fact(`${labels.length} classes`, shares.slice(0, 5).join(", ") + (labels.length > 5 ? ", …" : "")));
  write("table-lead", `Score alone: ${sentence(summary.model.score_alone)}${summary.search.is_loss ? " (lower is better)" : ""}. Gain: ${sentence(summary.model.gain)}. Redundant with: the most similar selected column, with its symmetric uncertainty from 0 to 1.${rarelySelected() ? " Columns selected in few folds are unstable; see Redundancy." : ""}`);
  const warnings = summary.columns.name.map((name, j) => [name, summary.columns.warning[j]]).filter(([, text]) => text);
  const shown = warnings.slice(0, 6).map(([name, text]) => element("p", { class: "warning" }, element("b", {}, name), ` ${text}`));
  if (warnings.length > 6) shown.push(element("p", { class: "warning" }, `There are warnings about ${warnings.length - 6} more columns in the table below.`));
  if (!summary.search.complete) shown.push(element("p", { class: "warning" }, "The search was stopped early; this is the best result so far."));
  fill("warnings", ...shown);
  write("command", summary.reproduce.command);
  write("versions", Object.entries(summary.reproduce.versions).map(([name, version]) => `${name} ${version}`).join(", "));
  write("fingerprint", data.fingerprint ? `Data: ${data.fingerprint}` : "");
}

setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
startHead();
startSizes();
startThreshold();
startBins();
startPairs();
startRedundancy();
startTable();
