// The timeline: commit time to the right, event time upwards; what is below the watermark is complete.

import {el, svg} from "./dom.js";
import {clock, day, moment, ticks} from "./times.js";

const QUIET = "INSIDE_GRANULE";
const EDGE = {top: 14, right: 14, bottom: 26, left: 50};
const words = hold => hold.replace(/\(.*/, "").toLowerCase().replaceAll("_", " ");

export class Chart {
  constructor(table) {
    this.table = table;
    this.id = `c${Math.random().toString(36).slice(2)}`;
    this.commits = [];
    this.picture = svg("svg", {role: "img", class: "chart", "aria-labelledby": `${this.id}-t ${this.id}-d`});
    this.readout = el("p", {class: "readout", id: `${this.id}-r`});
    this.scrub = el("input", {type: "range", class: "scrub", min: "0", max: "0", step: "1", "aria-label": `Commit of ${table}`,
      oninput: () => this.point(Number(this.scrub.value))});
    this.body = el("tbody");
    this.details = el("details", {class: "as-table", ontoggle: () => this.fillTable()},
      el("summary", {}, "The same as a table"),
      el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": `Commits of ${table}`},
        el("table", {}, el("caption", {class: "unseen"}, `Commits of ${table}, newest first`),
          el("thead", {}, el("tr", {}, ...["Committed", "Rows", "Earliest", "Median", "Latest", "Complete up to", "Late rows", "Hold"]
            .map(name => el("th", {scope: "col"}, name)))), this.body)));
    this.picture.addEventListener("pointermove", event => this.hover(event));
    this.element = el("figure", {class: "timeline"}, this.picture, this.scrub, this.readout);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  show(commits) {
    const followed = Number(this.scrub.value) >= this.commits.length - 1;
    this.commits = commits.map(c => ({...c, at: Date.parse(c.time), lo: c.min && Date.parse(c.min), mid: c.p50 && Date.parse(c.p50),
      hi: c.max && Date.parse(c.max), w: c.watermark && Date.parse(c.watermark)})).reverse();
    this.scrub.max = String(Math.max(0, this.commits.length - 1));
    if (followed) this.scrub.value = this.scrub.max;
    this.scrub.hidden = this.commits.length < 2;
    this.draw();
    this.fillTable();
  }

  scales() {
    const width = Math.max(280, this.element.clientWidth), height = width < 520 ? 210 : 280;
    const seen = this.commits.filter(c => c.lo);
    const marks = this.commits.filter(c => c.w).map(c => c.w);
    const lows = seen.map(c => c.lo).sort((a, b) => a - b);
    const highs = seen.map(c => c.hi);
    const top = Math.max(...highs, ...marks);
    // A few rows that are days late must not press everything else flat: those are clipped to the edge.
    const bottom = Math.min(lows[Math.floor(lows.length * 0.05)] ?? Infinity, ...marks);
    const span = Math.max(1_000, top - bottom);
    const x0 = this.commits[0].at, last = this.commits.at(-1).at, now = Date.now();
    const reach = Math.max(1_000, last - x0);
    const x1 = now - last < reach * 0.25 && now > last ? now : last + reach * 0.03;
    const inner = {w: width - EDGE.left - EDGE.right, h: height - EDGE.top - EDGE.bottom};
    return {
      width, height, x0, x1, y0: bottom - span * 0.06, y1: top + span * 0.06, inner,
      x: t => EDGE.left + (t - x0) / (x1 - x0) * inner.w,
      y: t => EDGE.top + inner.h - (Math.min(Math.max(t, bottom - span * 0.06), top + span * 0.06) - (bottom - span * 0.06)) / (span * 1.12) * inner.h,
    };
  }

  draw() {
    if (!this.element.isConnected) return;
    if (this.commits.filter(c => c.lo || c.w).length === 0) {
      this.picture.replaceChildren(svg("title", {id: `${this.id}-t`}, `Timeline of ${this.table}`), svg("desc", {id: `${this.id}-d`}, "Empty."));
      this.picture.setAttribute("hidden", "");
      this.readout.replaceChildren("No commit with facts yet.");
      return;
    }
    this.picture.removeAttribute("hidden");
    const s = this.s = this.scales();
    this.picture.setAttribute("viewBox", `0 0 ${s.width} ${s.height}`);
    this.guide = svg("line", {class: "guide", y1: EDGE.top, y2: EDGE.top + s.inner.h});
    this.dot = svg("circle", {class: "dot", r: 4});
    const hatch = svg("pattern", {id: `${this.id}-h`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
      svg("rect", {class: "hatch-ground", width: 7, height: 7}), svg("line", {class: "hatch", y2: 7}));
    const water = svg("linearGradient", {id: `${this.id}-w`, x1: 0, x2: 0, y1: 0, y2: 1},
      svg("stop", {class: "water-top", offset: 0}), svg("stop", {class: "water-deep", offset: 1}));
    const clip = svg("clipPath", {id: `${this.id}-c`}, svg("rect", {x: EDGE.left, y: EDGE.top - 6, width: s.inner.w + 7, height: s.inner.h + 12}));
    const newest = this.commits.findLast(c => c.w);
    this.picture.replaceChildren(
      svg("title", {id: `${this.id}-t`}, `Timeline of ${this.table}`),
      svg("desc", {id: `${this.id}-d`}, this.summary(newest)),
      svg("defs", {}, hatch, water, clip), this.grid(s),
      svg("g", {"clip-path": `url(#${this.id}-c)`}, ...this.holds(s), ...this.band(s), ...this.watermark(s), ...this.late(s)),
      this.guide, this.dot);
    this.point(Math.min(Number(this.scrub.value), this.commits.length - 1));
  }

  summary(newest) {
    const late = this.commits.reduce((sum, c) => sum + c.lateRows, 0);
    return `${this.commits.length} commits from ${moment(this.commits[0].at)} to ${moment(this.commits.at(-1).at)}. `
      + (newest ? `Complete up to ${moment(newest.w)}. ` : "No watermark yet. ")
      + (late ? `${late} late rows. ` : "No late rows. ") + "The same is below as a table.";
  }

  grid(s) {
    const lines = ticks(s.y0, s.y1, s.height < 240 ? 4 : 6).map(({time, text}) => svg("g", {},
      svg("line", {class: "rule", x1: EDGE.left, x2: s.width - EDGE.right, y1: s.y(time), y2: s.y(time)}),
      svg("text", {class: "tick", x: EDGE.left - 8, y: s.y(time) + 4, "text-anchor": "end"}, text)));
    const marks = ticks(s.x0, s.x1, Math.max(3.4, s.inner.w / 95)).filter(({time}) => s.x(time) < s.width - 24).map(({time, text}) =>
      svg("text", {class: "tick", x: s.x(time), y: s.height - 8, "text-anchor": "middle"}, text));
    return svg("g", {}, ...lines, ...marks);
  }

  holds(s) {
    const spans = [];
    this.commits.forEach((c, i) => {
      const end = this.commits[i + 1]?.at ?? s.x1;
      const reason = c.hold && words(c.hold);
      if (!c.hold || c.hold.startsWith(QUIET)) return;
      const before = spans.at(-1);
      if (before && before.end === c.at && before.reason === reason) before.end = end;
      else spans.push({start: c.at, end, reason});
    });
    return spans.flatMap(({start, end, reason}) => {
      const width = Math.max(1.5, s.x(end) - s.x(start));
      return [svg("rect", {class: "hold", fill: `url(#${this.id}-h)`, x: s.x(start), y: EDGE.top, width, height: s.inner.h}),
        width > reason.length * 6.2 + 8 ? svg("text", {class: "hold-name", x: s.x(start) + 6, y: EDGE.top + 13}, reason) : null].filter(Boolean);
    });
  }

  band(s) {
    const seen = this.commits.filter(c => c.lo);
    if (seen.length === 0) return [];
    const line = key => seen.map(c => `${s.x(c.at).toFixed(1)},${s.y(c[key]).toFixed(1)}`);
    return [
      svg("polygon", {class: "band", points: [...line("hi"), ...line("lo").reverse()].join(" ")}),
      ...(seen.length > 120 ? [] : seen.map(c => svg("line", {class: "reach", x1: s.x(c.at), x2: s.x(c.at), y1: s.y(c.lo), y2: s.y(c.hi)}))),
      svg("polyline", {class: "median", points: line("mid").join(" ")})];
  }

  watermark(s) {
    const marked = this.commits.filter(c => c.w);
    if (marked.length === 0) return [];
    let path = `M${s.x(marked[0].at)},${s.y(marked[0].w)}`;
    marked.slice(1).forEach(c => path += `H${s.x(c.at).toFixed(1)}V${s.y(c.w).toFixed(1)}`);
    path += `H${s.x(s.x1).toFixed(1)}`;
    const floor = EDGE.top + s.inner.h;
    return [
      svg("path", {class: "water", fill: `url(#${this.id}-w)`, d: `${path}V${floor}H${s.x(marked[0].at)}Z`}),
      svg("path", {class: "watermark", d: path})];
  }

  late(s) {
    return this.commits.filter(c => c.lateRows > 0).map(c => {
      const size = Math.min(9, 4.5 + Math.log10(c.lateRows) * 1.5), x = s.x(c.at);
      const y = Math.min(c.lo ? s.y(c.lo) : s.y(s.y0), EDGE.top + s.inner.h - size);
      return svg("path", {class: "late", d: `M${x - size},${y - size * 0.8}h${2 * size}L${x},${y + size * 0.8}Z`});
    });
  }

  hover(event) {
    if (!this.s) return;
    const box = this.picture.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * this.s.width;
    let best = 0;
    this.commits.forEach((c, i) => {
      if (Math.abs(this.s.x(c.at) - x) < Math.abs(this.s.x(this.commits[best].at) - x)) best = i;
    });
    this.scrub.value = String(best);
    this.point(best);
  }

  point(index) {
    const c = this.commits[index];
    if (!c || !this.s) return;
    const x = this.s.x(c.at);
    this.guide.setAttribute("x1", x);
    this.guide.setAttribute("x2", x);
    this.dot.toggleAttribute("hidden", !c.w);
    if (c.w) {
      this.dot.setAttribute("cx", x);
      this.dot.setAttribute("cy", this.s.y(c.w));
    }
    const text = [`${day(c.at)}, ${clock(c.at, true)}`,
      c.foreign ? "somebody else's commit" : `${c.rows.toLocaleString("en")} rows`,
      c.lo ? `events ${clock(c.lo)} to ${clock(c.hi)}` : null,
      c.w ? `complete up to ${clock(c.w)}` : null,
      c.lateRows ? `${c.lateRows} late` : null,
      c.hold ? words(c.hold) : null].filter(Boolean).join(" · ");
    this.readout.replaceChildren(text);
    this.scrub.setAttribute("aria-valuetext", text);
  }

  fillTable() {
    if (!this.details.open) return;
    const cell = time => time ? moment(time) : "–";
    this.body.replaceChildren(...[...this.commits].reverse().map(c => el("tr", {},
      el("th", {scope: "row"}, `${day(c.at)}, ${clock(c.at, true)}`), el("td", {}, c.foreign ? "–" : c.rows.toLocaleString("en")),
      el("td", {}, cell(c.lo)), el("td", {}, cell(c.mid)), el("td", {}, cell(c.hi)), el("td", {}, cell(c.w)),
      el("td", {}, c.lateRows ? c.lateRows.toLocaleString("en") : "–"), el("td", {}, c.hold ? words(c.hold) : "–"))));
  }
}
