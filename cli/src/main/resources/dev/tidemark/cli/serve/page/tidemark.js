// The page: one long poll for all tables; what changed is read again and shown.

import {Chart} from "./chart.js";
import {el, symbol} from "./dom.js";
import {label, Tiles} from "./tiles.js";
import {clock, duration, moment, useLocal, zoneName} from "./times.js";

const WAIT = "30s";
const cards = new Map();
const live = document.getElementById("live");
const status = document.getElementById("status");
let seenAt = null;
let token = sessionStorage.getItem("tidemark-token");

class Refused extends Error {}

async function read(path, tag) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (tag) headers["If-None-Match"] = tag;
  const response = await fetch(path, {headers, cache: "no-store"});
  if (response.status === 304) return {same: true};
  if (response.status === 401) throw new Refused();
  if (!response.ok) throw new Error((await response.json()).detail);
  return {json: await response.json(), tag: response.headers.get("ETag")};
}

const words = hold => hold.replace(/\(.*/, "").toLowerCase().replaceAll("_", " ");

/** What a table is in, in one word or two, with its sign. */
function condition(table, standing = 0) {
  if (!table.reachable) return {sign: "silent", kind: "silent", text: table.readAt ? "Store does not answer" : "Not read yet"};
  if (table.revoked) return {sign: "revoked", kind: "revoked", text: "Revoked"};
  if (!table.policy) return {sign: "unknown", kind: "unknown", text: "No metadata"};
  if (standing > 0) return {sign: "held", kind: "held", text: `Stands for ${duration(standing)}`};
  if (!table.hold || table.hold === "INSIDE_GRANULE") return {sign: "moving", kind: "moving", text: "Moving"};
  return {sign: "held", kind: "held", text: `Held: ${words(table.hold)}`};
}

class Card {
  constructor(name) {
    const id = `t-${encodeURIComponent(name).replaceAll("%", "-")}`;
    this.name = name;
    this.path = `v1/tables/${encodeURIComponent(name)}`;
    this.badge = el("p", {class: "badge"});
    this.headline = el("p", {class: "headline"});
    this.sub = el("p", {class: "sub"});
    this.why = el("div", {class: "why-text"});
    this.facts = el("dl", {class: "facts"});
    this.detail = el("p", {class: "detail"});
    this.chart = new Chart(name);
    this.tiles = new Tiles(name, this.detail);
    this.element = el("article", {class: "card", id, "aria-labelledby": `${id}-h`},
      el("header", {class: "card-head"}, el("h2", {id: `${id}-h`}, name), this.badge),
      el("div", {class: "lead"}, this.headline, this.sub),
      el("div", {class: "card-body"},
        el("div", {class: "left"},
          el("section", {"aria-labelledby": `${id}-tl`},
            el("h3", {id: `${id}-tl`}, "Timeline"),
            el("p", {class: "legend", "aria-hidden": "true"}, el("span", {class: "k-water"}, "complete"), el("span", {class: "k-band"}, "a commit’s events, earliest to latest"),
              el("span", {class: "k-median"}, "median"), el("span", {class: "k-late"}, "late rows"), el("span", {class: "k-hold"}, "held")),
            this.chart.element, this.chart.details),
          el("section", {"aria-labelledby": `${id}-hr`}, el("h3", {id: `${id}-hr`}, "Hours"), this.tiles.grid, this.detail)),
        el("aside", {"aria-labelledby": `${id}-wy`}, el("h3", {id: `${id}-wy`}, "Why it stands there"), this.why, this.facts)));
    this.link = el("a", {href: `#${id}`});
  }

  async refresh(table) {
    const before = this.table, hoursBefore = this.hours;
    if (table.reachable) {
      const [hours, commits, explanation] = await Promise.all(
        ["hours", "commits", "explain"].map(part => read(`${this.path}/${part}`)));
      this.hours = hours.json.hours;
      this.commits = commits.json.commits;
      this.explanation = explanation.json;
      this.explanationTag = explanation.tag;
    }
    // Not before everything is read: a table whose version is known is not read again.
    this.table = table;
    this.receivedAt = Date.now();
    this.show();
    if (before) announce(before, table, reopened(hoursBefore, this.hours));
  }

  /** What is said of silence changes by time alone. */
  async reread() {
    if (!this.table?.reachable) return;
    const explanation = await read(`${this.path}/explain`, this.explanationTag);
    if (explanation.same) return;
    this.explanation = explanation.json;
    this.explanationTag = explanation.tag;
    this.explain(this.explanation);
  }

  show() {
    const table = this.table;
    this.element.classList.toggle("bare", !table.policy);
    this.headline.replaceChildren(...(table.watermark
      ? [table.revoked ? "Rolled back to " : "Complete up to ", el("time", {datetime: table.watermark}, moment(Date.parse(table.watermark))), " ", el("small", {}, zoneName())]
      : [table.policy ? "No hour is complete yet" : "Nobody says what is complete here"]));
    this.age();
    if (this.hours) this.tiles.show(this.hours);
    if (this.commits) this.chart.show(this.commits);
    if (this.explanation) this.explain(this.explanation);
  }

  /** For how many seconds the watermark has stood, if that is longer than two granules: as long as an alert waits. */
  standing() {
    if (!this.table.watermark || !this.hours?.length) return 0;
    const [hour] = this.hours;
    const since = this.table.watermarkSince;
    const seconds = since ? (Date.now() - Date.parse(since)) / 1000 : 0;
    return seconds * 1000 > 2 * (Date.parse(hour.end) - Date.parse(hour.start)) ? seconds : 0;
  }

  /** What grows while nothing changes. */
  age() {
    const table = this.table;
    const {sign, kind, text} = condition(table, this.standing());
    this.element.dataset.condition = kind;
    this.badge.className = `badge ${kind}`;
    this.badge.replaceChildren(symbol(sign), text);
    this.link.replaceChildren(symbol(sign), this.name);
    this.link.className = kind;
    const passed = (Date.now() - this.receivedAt) / 1000;
    const parts = [];
    if (table.lagSeconds !== undefined) parts.push(`${duration(table.lagSeconds + passed)} behind the clock`);
    if (table.evidence) parts.push(table.evidence === "promise" ? "promised by the source" : "an estimate");
    if (table.snapshotId) parts.push(`last commit ${duration(table.ageSeconds + passed)} ago`);
    if (!table.reachable && table.failure) parts.push(table.failure);
    this.sub.replaceChildren(parts.join(" · "));
  }

  explain(explanation) {
    const table = this.table;
    const list = (name, texts) => texts && texts.length
      ? [el("h4", {}, name), el("ul", {}, ...texts.map(text => el("li", {}, text)))] : [];
    this.why.replaceChildren(el("p", {class: "why-first"}, explanation.summary),
      ...list("Who", (explanation.responsible ?? []).map(one => one.text)),
      ...list("What would move it", explanation.moves),
      ...list("To know", explanation.notes));
    const facts = [
      ["Hold", table.hold ? words(table.hold) : table.policy ? "none" : null],
      ["Since", explanation.since ? (explanation.since.isOldestRead ? "at least " : "") + moment(Date.parse(explanation.since.time)) : null],
      ["Claims from", table.from ? (Date.parse(table.from) <= 0 ? "the beginning" : moment(Date.parse(table.from))) : null],
      ["Policy", table.policy],
      ["Writers", table.writers && Object.keys(table.writers).length
        ? Object.entries(table.writers).map(([name, w]) => `${name}: ${w ? moment(Date.parse(w)) : "nothing yet"}`).join("; ") : null],
      ["Epoch", table.epoch ? String(table.epoch) : null],
      ["Snapshot", table.snapshotId]];
    this.facts.replaceChildren(...facts.filter(([, value]) => value)
      .flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  }
}

/** The hours that got late rows between two readings. */
function reopened(before, now) {
  const known = new Map((before ?? []).map(hour => [hour.start, hour.revision]));
  return (now ?? []).filter(hour => hour.state === "reopened" && (known.get(hour.start) ?? 0) < hour.revision);
}

/** Says what matters; a commit that moves nothing is not worth an interruption. */
function announce(before, table, late) {
  const news = [];
  if (condition(before).kind !== condition(table).kind) news.push(condition(table).text);
  if (before.watermark !== table.watermark && table.watermark) news.push(`complete up to ${moment(Date.parse(table.watermark))} ${zoneName()}`);
  news.push(...late.map(label));
  if (news.length > 0) say(`${table.table}: ${news.join("; ")}.`);
}

function say(text) {
  live.textContent = text;
}

async function show(tables) {
  const main = document.getElementById("tables");
  for (const table of tables) {
    let card = cards.get(table.table);
    if (!card) {
      card = new Card(table.table);
      cards.set(table.table, card);
      main.append(card.element);
      document.querySelector("#index ul").append(el("li", {}, card.link));
    }
  }
  document.getElementById("index").hidden = tables.length < 2;
  await Promise.all(tables.map(async table => {
    const card = cards.get(table.table);
    if (card.table?.version !== table.version || !card.table) await card.refresh(table);
    else {
      card.table = table;
      card.receivedAt = Date.now();
      card.age();
    }
  }));
}

function showStatus() {
  const n = cards.size;
  status.textContent = `${n} table${n === 1 ? "" : "s"} · as of ${clock(seenAt, true)} ${zoneName()}`;
  status.classList.remove("lost");
}

async function follow() {
  let tag = null;
  let pause = 1_000;
  for (;;) {
    try {
      const answer = await read(tag ? `v1/tables?wait=${WAIT}` : "v1/tables", tag);
      if (!answer.same) {
        await show(answer.json.tables);
        tag = answer.tag;
      }
      seenAt = Date.now();
      showStatus();
      document.documentElement.dataset.ready = "true";
      pause = 1_000;
    } catch (error) {
      if (error instanceof Refused) {
        await askToken();
        continue;
      }
      console.warn(error);
      status.textContent = `No answer from the server since ${clock(Date.now())}; trying again.`;
      status.classList.add("lost");
      tag = null;
      await new Promise(resolve => setTimeout(resolve, pause));
      pause = Math.min(30_000, pause * 2);
    }
  }
}

function askToken() {
  const form = document.getElementById("token");
  const input = document.getElementById("token-text");
  form.hidden = false;
  status.textContent = token ? "That is not the token." : "A token is needed.";
  input.focus();
  return new Promise(resolve => form.addEventListener("submit", event => {
    event.preventDefault();
    token = input.value.trim();
    sessionStorage.setItem("tidemark-token", token);
    form.hidden = true;
    resolve();
  }, {once: true}));
}

function remember(name, apply) {
  const kept = localStorage.getItem(`tidemark-${name}`);
  const inputs = [...document.querySelectorAll(`#${name} input`)];
  const chosen = inputs.find(input => input.value === kept) ?? inputs[0];
  chosen.checked = true;
  apply(chosen.value);
  document.getElementById(name).addEventListener("change", event => {
    localStorage.setItem(`tidemark-${name}`, event.target.value);
    apply(event.target.value);
  });
}

remember("theme", theme => document.documentElement.dataset.theme = theme);
remember("zone", zone => {
  useLocal(zone === "local");
  cards.forEach(card => card.table && card.show());
  if (seenAt && !status.classList.contains("lost")) showStatus();
});
setInterval(() => cards.forEach(card => card.table && card.age()), 10_000);
setInterval(() => cards.forEach(card => card.reread().catch(error => console.debug(error))), 60_000);
follow();
