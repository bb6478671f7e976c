// Probabilities and reasons of many rows, pasted or from a file; nothing leaves the browser.
const mostShown = 100;
const nReasons = 3;

function readCsv(text) {
  const first = text.slice(0, text.search(/[\r\n]|$/));
  const separator = [",", ";", "\t", "|"].reduce((best, each) => (first.split(each).length > first.split(best).length ? each : best));
  const rows = [];
  let [row, cell, inside] = [[], "", false];
  const endCell = () => { row.push(cell); cell = ""; };
  const endRow = () => { endCell(); if (row.length > 1 || row[0] !== "") rows.push(row); row = []; };
  const source = text.replace(/^\ufeff/, "");
  for (let i = 0; i < source.length; i += 1) {
    const mark = source[i];
    if (inside) {
      if (mark !== '"') cell += mark;
      else if (source[i + 1] === '"') { cell += '"'; i += 1; }
      else inside = false;
    } else if (mark === '"' && cell.trim() === "") { cell = ""; inside = true; }
    else if (mark === separator) endCell();
    else if (mark === "\n") endRow();
    else if (mark !== "\r") cell += mark;
  }
  if (cell !== "" || row.length) endRow();
  return rows;
}

function explainRows(text) {
  const [head, ...rows] = readCsv(text);
  if (!head || !rows.length) { write("rows-note", "Enter a header line and at least one row."); return; }
  const names = head.map((each) => each.trim());
  const places = model.columns.map((column) => names.indexOf(column.name));
  const absent = model.columns.filter((_, j) => places[j] < 0).map((column) => column.name);
  const explained = rows.map((row, i) => {
    const result = predict(places.map((place, j) => (place < 0 ? undefined : cellValue(model.columns[j].bins, row[place] ?? ""))));
    const c = shownClass(result.probabilities);
    const reasons = ranked(result, c).slice(0, nReasons).map((term) => `${term.name} = ${term.value ?? "missing"} (${signed(term.points)})`);
    const chosen = model.positive === null ? [data.labels[c]] : [];
    return [String(i + 1), ...chosen, String(Number(result.probabilities[c].toPrecision(6))), decided(result.probabilities), ...reasons, ...Array(nReasons - reasons.length).fill("")];
  });
  const heads = ["row", ...(model.positive === null ? ["class", "probability"] : [`probability of ${data.labels[model.positive]}`]), "predicted", ...Array.from({ length: nReasons }, (_, k) => `reason ${k + 1}`)];
  const shown = element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((each, i) => element("th", i > heads.length - nReasons - 2 ? { scope: "col", class: "words" } : { scope: "col" }, each)))),
    element("tbody", {}, ...explained.slice(0, mostShown).map((row) => element("tr", {}, ...row.map((cell, i) => element(i ? "td" : "th", i > heads.length - nReasons - 2 ? { class: "words" } : {}, cell))))));
  const button = element("button", { type: "button", class: "download" }, "CSV of all rows");
  button.addEventListener("click", () => save("reasons", [heads, ...explained]));
  fill("rows-result", element("div", { class: "scroll", tabindex: "0" }, shown), button);
  const more = explained.length > mostShown ? ` The first ${mostShown} are shown.` : "";
  const missing = absent.length ? ` Columns that are not given count as they do on average: ${absent.join(", ")}.` : "";
  write("rows-note", `${count(explained.length)} ${explained.length === 1 ? "row" : "rows"}.${more}${missing}`);
}

function startManyRows() {
  byId("rows-explain").addEventListener("click", () => explainRows(byId("rows-text").value));
  byId("rows-file").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (file) explainRows(await file.text());
  });
}
