// Every table as a CSV file, made in the browser: numbers are plain, percentages are shares.
const plainCell = (cell) => plainText((cell.querySelector("b") ?? cell).textContent.trim());

function plainText(text) {
  const number = text.replace(/(?<=\d),(?=\d{3})/g, "");
  if (/^[+-]?\d+(\.\d+)?%$/.test(number)) return String(Number((parseFloat(number) / 100).toPrecision(12)));
  return /^[+-]?\d+(\.\d+)?(e-?\d+)?$/.test(number) ? String(Number(number)) : text === "–" ? "" : text;
}

// A text that a spreadsheet would run as a formula begins with an apostrophe, as in inert_text of data/files/output.py.
const inert = (text) => (/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-](\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? `'${text}` : text);

const quoted = (text) => {
  const safe = inert(text);
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

function tableRows(made) {
  if (made.id === "table") {
    const exact = (value, field) => (value === null ? "" : field.format === "text" ? value : String(value));
    return [data.fields.map((field) => field.name), ...view.rows.map((j) => data.fields.map((field) => exact(field.values[j], field)))];
  }
  // A cell such as 0.28 ± 0.01 becomes two.
  const [first] = made.tBodies[0].rows;
  const spread = [...(first?.cells ?? [])].map((cell) => /\s±\s/.test(cell.textContent));
  const split = (cell, k) => {
    if (!spread[k]) return [plainCell(cell)];
    if (cell.closest("thead")) return [plainCell(cell), `± ${cell.textContent}`];
    const [value, error] = cell.textContent.split("±").map((text) => plainText(text.trim()));
    return [value, error ?? ""];
  };
  return [...made.rows].map((row) => [...row.cells].flatMap((cell, k) => [...split(cell, k), ...Array(cell.colSpan - 1).fill("")]));
}

function save(name, rows) {
  const text = rows.map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
  const link = element("a", { href: URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" })), download: `${name.replace(/[^\p{L}\p{N} ._-]+/gu, "_").trim().slice(0, 80)}.csv` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function offerDownload(made) {
  const button = element("button", { type: "button", class: "download", title: `Download this table: ${made.dataset.file}.csv` }, "CSV");
  button.addEventListener("click", () => save(made.dataset.file, tableRows(made)));
  (made.closest(".scroll") ?? made).after(button);
}

const startDownloads = () => document.querySelectorAll("table[data-file]").forEach(offerDownload);
