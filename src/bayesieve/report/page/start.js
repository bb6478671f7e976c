// The head of the page, its theme, and the start of all parts.
function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  write("theme", dark ? "Light" : "Dark");
}

function startHead() {
  const { question, data, sizes } = summary;
  const chosen = sizes.find((size) => size.chosen);
  const left = data.n_without_target ? ` (${count(data.n_without_target)} without a class left out)` : "";
  write("asked", `${question.source ? question.source + ": " : ""}what tells ${question.target}? Asked for: ${question.goal_in_words}.`);
  write("verdict", summary.verdict);
  const plurals = { integer: "of integers", number: "of numbers", category: "of categories", time: "of times" };
  const kinds = Object.entries(data.kinds).map(([kind, n]) => `${count(n)} ${plurals[kind]}`).join(", ");
  const shares = data.classes.map((each) => `${each.label} ${percent(each.rows / data.n_rows, 0)}`);
  const few = labels.length === 2;
  const { n_fitted: fitted, words } = summary.judged;
  write("judged", words);
  fill("facts",
    fitted === null ? fact(count(data.n_rows), `rows${left}`)
      : fact(count(fitted + data.n_rows), `rows${left}, of which ${count(data.n_rows)} held out`),
    fact(`${chosen.n_columns} of ${count(data.n_columns)}`, `columns chosen (${kinds})`),
    fact(decimal(chosen.honest.auc.mean, 3), `area under ROC, ± ${decimal(chosen.honest.auc.error, 3)}`),
    fact(percent(chosen.honest.accuracy.mean), `right by the largest probability, ± ${percent(chosen.honest.accuracy.error)}`),
    few ? fact(percent(data.classes[question.positive].rows / data.n_rows), `are ${labels[question.positive]}, others ${labels[1 - question.positive]}`)
      : fact(`${labels.length} classes`, shares.slice(0, 5).join(", ") + (labels.length > 5 ? ", …" : "")));
  write("table-lead", `Alone: the ${summary.search.criterion} of a model with this column only${summary.search.falls ? "; less is better" : ""}. Adds: what it improves beside the chosen ones. Most like: the chosen column that it shares most with, from 0 to 1.`);
  const notes = summary.columns.name.map((name, j) => [name, summary.columns.suspicion[j]]).filter(([, words]) => words);
  const shown = notes.slice(0, 6).map(([name, words]) => element("p", { class: "warning" }, element("b", {}, name), ` ${words}`));
  if (notes.length > 6) shown.push(element("p", { class: "warning" }, `${notes.length - 6} more columns are marked so in the table below.`));
  if (!summary.search.complete) shown.push(element("p", { class: "warning" }, "The search was stopped before its end; this is the best so far."));
  fill("suspicions", ...shown);
  write("command", summary.reproduce.command);
  write("versions", Object.entries(summary.reproduce.versions).map(([name, version]) => `${name} ${version}`).join(", "));
  write("fingerprint", data.fingerprint ? `Data: ${data.fingerprint}` : "");
}

setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
startHead();
startSizes();
startDecision();
startBins();
startAgreement();
startTable();
