// The hours of a table: a grid of days, walked by the arrow keys, one tile in the tab order.

import {el, symbol} from "./dom.js";
import {clock, day, dayKey, hourOf} from "./times.js";

const HOUR = 3_600_000;
const NAMES = {final: "final", open: "open", reopened: "reopened", revoked: "revoked", unknown: "unknown"};

const rowsText = n => `${n.toLocaleString("en")} late row${n === 1 ? "" : "s"}`;
const short = n => n >= 10_000 ? `+${Math.round(n / 1000)}k` : `+${n}`;

function spanText(hour) {
  const start = Date.parse(hour.start), end = Date.parse(hour.end);
  return end - start >= 23 * HOUR ? day(start) : `${day(start)}, ${clock(start)} to ${clock(end)}`;
}

export function label(hour) {
  const name = NAMES[hour.state];
  return hour.state === "reopened"
    ? `${spanText(hour)}: ${name}, ${rowsText(hour.lateRows)}, revision ${hour.revision}`
    : `${spanText(hour)}: ${name}`;
}

function sentence(hour) {
  switch (hour.state) {
    case "final": return "All of it is in the table.";
    case "open": return "Rows may still come.";
    case "reopened": return `It was final; ${rowsText(hour.lateRows)} came since, revision ${hour.revision}. Who read it before should read it again.`;
    case "revoked": return "The table was rolled back. Do not read it.";
    default: return "Nobody claims anything of it.";
  }
}

export class Tiles {
  constructor(table, detail) {
    this.detail = detail;
    this.focused = null;
    this.grid = el("div", {role: "grid", class: "grid", "aria-label": `Hours of ${table}`,
      onkeydown: event => this.key(event), onfocusin: event => this.focus(event.target),
      onclick: event => this.focus(event.target.closest("[role=gridcell]"))});
  }

  show(hours) {
    const hadFocus = this.grid.contains(document.activeElement);
    const long = hours.length > 0 && Date.parse(hours[0].end) - Date.parse(hours[0].start) >= 23 * HOUR;
    const days = new Map();
    for (const hour of hours) {
      const key = long ? dayKey(Date.parse(hour.start)).slice(0, 7) : dayKey(Date.parse(hour.start));
      if (!days.has(key)) days.set(key, []);
      days.get(key).push(hour);
    }
    this.grid.replaceChildren(...[...days.values()].map(row => this.row(row, long)));
    const tiles = this.tiles();
    const kept = tiles.find(tile => tile.dataset.start === this.focused);
    const tabbed = kept ?? tiles.findLast(tile => tile.dataset.state !== "open") ?? tiles.at(-1);
    if (tabbed) tabbed.tabIndex = 0;
    if (kept && hadFocus) kept.focus({preventScroll: true});
    if (kept) this.tell(kept);
    else this.detail.replaceChildren("Choose an hour to read what it says.");
  }

  row(hours, long) {
    const first = Date.parse(hours[0].start);
    const isHourly = Date.parse(hours[0].end) - first === HOUR;
    const lead = isHourly ? hourOf(first) : 0;
    const pads = Array.from({length: lead}, (_, i) => el("span", {"aria-hidden": "true",
      class: `pad${i < lead - lead % 6 ? " far6" : ""}${i < lead - lead % 12 ? " far12" : ""}`}));
    return el("div", {role: "row", class: "row"},
      el("span", {role: "rowheader", class: "day"}, long ? dayKey(first).slice(0, 7) : day(first)),
      el("div", {role: "presentation", class: isHourly ? "cells hourly" : "cells"},
        ...pads, ...hours.map(hour => this.tile(hour, long, isHourly))));
  }

  tile(hour, long, isHourly) {
    const start = Date.parse(hour.start);
    const name = long ? dayKey(start).slice(8) : isHourly ? clock(start).slice(0, 2) : clock(start);
    const tile = el("div", {role: "gridcell", class: `tile ${hour.state}`, tabindex: "-1",
      "aria-label": label(hour), "aria-selected": "false", "data-start": hour.start, "data-state": hour.state},
    el("span", {class: "name"}, name), symbol(hour.state),
    hour.state === "reopened" ? el("span", {class: "count"}, short(hour.lateRows)) : null);
    tile.hour = hour;
    return tile;
  }

  tiles() {
    return [...this.grid.querySelectorAll("[role=gridcell]")];
  }

  focus(tile) {
    if (!tile || !tile.hour) return;
    this.tiles().forEach(other => {
      other.tabIndex = other === tile ? 0 : -1;
    });
    this.focused = tile.dataset.start;
    if (document.activeElement !== tile) tile.focus();
    this.tell(tile);
  }

  tell(tile) {
    this.tiles().forEach(other => other.setAttribute("aria-selected", String(other === tile)));
    this.detail.replaceChildren(el("b", {}, spanText(tile.hour)), " ", el("span", {}, sentence(tile.hour)));
  }

  key(event) {
    const tiles = this.tiles();
    const at = tiles.indexOf(event.target);
    if (at < 0) return;
    const row = [...event.target.parentElement.querySelectorAll("[role=gridcell]")];
    const next = {
      ArrowRight: () => tiles[at + 1], ArrowLeft: () => tiles[at - 1],
      ArrowDown: () => this.beside(tiles[at], tiles, 1), ArrowUp: () => this.beside(tiles[at], tiles, -1),
      Home: () => event.ctrlKey ? tiles[0] : row[0], End: () => event.ctrlKey ? tiles.at(-1) : row.at(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    next()?.focus();
  }

  /** The nearest tile of the next line above or below, however the grid is wrapped. */
  beside(tile, tiles, direction) {
    const here = tile.getBoundingClientRect();
    const lines = tiles.map(other => ({other, box: other.getBoundingClientRect()}))
      .filter(({box}) => (box.top - here.top) * direction > here.height / 2);
    const nearest = Math.min(...lines.map(({box}) => Math.abs(box.top - here.top)));
    return lines.filter(({box}) => Math.abs(Math.abs(box.top - here.top) - nearest) < 2)
      .sort((a, b) => Math.abs(a.box.left - here.left) - Math.abs(b.box.left - here.left))[0]?.other;
  }
}
