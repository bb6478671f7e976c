// The theme, the classes of heat maps, and the start of all sections.
function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  write("theme", dark ? "Light" : "Dark");
}

document.documentElement.classList.add("with-scripts");
setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
byId("pairs-class")?.addEventListener("input", (event) => {
  for (const map of document.querySelectorAll("[data-class]")) map.hidden = map.dataset.class !== event.target.value;
});
startSizes();
startThreshold();
startLift();
startTable();
if (data.whatIf) startWhatIf();
startDownloads();
