"use strict";
// The transcript player: state is how many items are shown; everything on the page follows from it.
// All words are set as text, never as HTML.
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const list = at("log"), scrub = at("scrub"), clock = at("clock"), marks = at("marks"), play = at("play");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const WORDS_A_MINUTE = 200, LEAST_MS = 700, MOST_MS = 12000;
let view = data.views[0], shown = 1, timer = 0;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function draw() {
  list.replaceChildren(...view.items.map((item, index) => {
    const row = element("li");
    row.dataset.index = index;
    row.append(element("span", item.clock, "time"));
    const words = element("div", "", "words");
    for (const line of item.lines) {
      const said = element("p", "", line.public ? line.kind : `${line.kind} private`);
      said.append(element("b", line.label), document.createTextNode(` ${line.text}`));
      if (!line.public) said.append(element("small", " (not said aloud)"));
      words.append(said);
    }
    if (item.picture) {
      const picture = element("img");
      picture.src = data.pictures[item.picture].source;
      picture.alt = data.pictures[item.picture].alt;
      words.append(picture);
    }
    row.append(words);
    return row;
  }));
  scrub.max = view.items.length;
  marks.replaceChildren(...view.items.flatMap((item, index) => {
    if (!item.mark) return [];
    const mark = element("option", `${item.clock} ${item.mark}: ${item.lines[0]?.text.slice(0, 60) ?? ""}`);
    mark.value = index + 1;
    return [mark];
  }));
  marks.prepend(element("option", `Go to a moment (${marks.children.length})`));
  marks.firstChild.value = "";
}

function show(count) {
  shown = Math.max(0, Math.min(view.items.length, count));
  for (const row of list.children) {
    const index = Number(row.dataset.index);
    row.hidden = index >= shown;
    row.classList.toggle("now", index === shown - 1);
    if (index === shown - 1) row.scrollIntoView({ block: "nearest", behavior: calm.matches ? "auto" : "smooth" });
  }
  const item = view.items[shown - 1];
  scrub.value = shown;
  scrub.setAttribute("aria-valuetext", item ? `${item.clock}, ${shown} of ${view.items.length}` : "the beginning");
  clock.textContent = `${item ? item.clock : "0:00"} · ${shown} of ${view.items.length}`;
  history.replaceState(null, "", item ? `#${item.id}` : "#");
  if (shown === view.items.length) pause();
}

function wait(item) {
  const words = item ? item.lines.reduce((sum, line) => sum + line.text.split(/\s+/).length, 0) : 0;
  const ms = (words / WORDS_A_MINUTE) * 60000;
  return Math.max(LEAST_MS, Math.min(MOST_MS, ms)) / Number(at("speed").value);
}

function pause() {
  clearTimeout(timer);
  timer = 0;
  play.textContent = "Play";
}

function run() {
  timer = setTimeout(() => { show(shown + 1); if (timer) run(); }, wait(view.items[shown - 1]));
}

function toggle() {
  if (timer) return pause();
  if (shown === view.items.length) show(0);
  if (at("speed").value === "0") return show(view.items.length);
  play.textContent = "Pause";
  run();
}

function step(by) { pause(); show(shown + by); }

function choose(name, id) {
  pause();
  view = data.views.find((one) => one.name === name);
  draw();
  // The last item up to the same moment of the encounter.
  const order = (one) => one.split(".").map(Number);
  const [n, i] = order(id || "0.0");
  const until = view.items.filter((one) => { const [a, b] = order(one.id); return a < n || (a === n && b <= i); });
  show(Math.max(1, until.length));
}

for (const one of data.views) {
  const choice = element("option", one.words);
  choice.value = one.name;
  at("view").append(choice);
}
at("views").hidden = data.views.length < 2;
play.addEventListener("click", toggle);
at("back").addEventListener("click", () => step(-1));
at("next").addEventListener("click", () => step(1));
at("all").addEventListener("click", () => { pause(); show(view.items.length); });
scrub.addEventListener("input", () => { pause(); show(Number(scrub.value)); });
marks.addEventListener("change", () => { if (marks.value) { pause(); show(Number(marks.value)); } marks.value = ""; });
at("view").addEventListener("change", (event) => choose(event.target.value, view.items[shown - 1]?.id));
document.addEventListener("keydown", (event) => {
  if (event.target.closest("select, input, button")) return;
  if (event.key === "ArrowRight" || event.key === "j") step(1);
  else if (event.key === "ArrowLeft" || event.key === "k") step(-1);
  else if (event.key === " ") { event.preventDefault(); toggle(); }
});
choose(view.name, /^#\d+\.\d+$/.test(location.hash) ? location.hash.slice(1) : "");
