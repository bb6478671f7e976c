// A chart of lines and dots with two axes.
const narrow = window.matchMedia("(max-width: 760px)").matches;
const frames = {
  wide: { width: narrow ? 360 : 520, height: narrow ? 270 : 320, left: 66, right: 14, top: 12, bottom: 44 },
  small: { width: 300, height: 310, left: 44, right: 12, top: 10, bottom: 42 },
};

function niceTicks(from, to, nTicks = 5) {
  const span = to - from || 1;
  const raw = span / nTicks;
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= raw);
  const ticks = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; k += 1) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

function chart({ label, x, y, lines = [], whiskers = [], marks = [], cursor = null, diagonal = false, frame = frames.wide }) {
  const { width, height, left, right, top, bottom } = frame;
  const across = (value) => left + ((value - x.from) / (x.to - x.from || 1)) * (width - left - right);
  const up = (value) => height - bottom - ((value - y.from) / (y.to - y.from || 1)) * (height - top - bottom);
  const drawn = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const tick of y.ticks || niceTicks(y.from, y.to)) {
    drawn.append(shape("line", { class: "grid", x1: left, x2: width - right, y1: up(tick), y2: up(tick) }));
    drawn.append(shape("text", { x: left - 8, y: up(tick) + 4, "text-anchor": "end" }, y.format ? y.format(tick) : tick));
  }
  for (const tick of x.ticks || niceTicks(x.from, x.to)) {
    drawn.append(shape("text", { x: across(tick), y: height - bottom + 18, "text-anchor": "middle" }, x.format ? x.format(tick) : tick));
  }
  drawn.append(shape("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, x.title));
  if (y.title) drawn.append(shape("text", { x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(top + height - bottom) / 2})` }, y.title));
  if (diagonal) drawn.append(shape("line", { class: "diagonal", x1: across(x.from), y1: up(y.from), x2: across(x.to), y2: up(y.to) }));
  if (cursor !== null) drawn.append(shape("line", { class: "cursor", x1: across(cursor), x2: across(cursor), y1: top, y2: height - bottom }));
  for (const { at, low, high } of whiskers) drawn.append(shape("line", { class: "whisker", x1: across(at), x2: across(at), y1: up(low), y2: up(high) }));
  for (const { kind, points, dots } of lines) {
    drawn.append(shape("polyline", { class: `line ${kind}`, points: points.map(([a, b]) => `${across(a).toFixed(1)},${up(b).toFixed(1)}`).join(" ") }));
    if (dots) for (const [a, b] of points) drawn.append(shape("circle", { class: `dot ${kind}`, cx: across(a), cy: up(b), r: dots }));
  }
  for (const [a, b] of marks) drawn.append(shape("circle", { class: "mark", cx: across(a), cy: up(b), r: 7 }));
  return drawn;
}

const unit = (title) => ({ from: 0, to: 1, title, ticks: [0, 0.25, 0.5, 0.75, 1], format: (value) => `${100 * value}%` });
