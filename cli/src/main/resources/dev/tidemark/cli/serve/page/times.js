// Times as people read them, in UTC or in the zone of this browser.

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const STEPS = [1_000, 5_000, 15_000, 30_000, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE,
  30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 90 * DAY];

let local = false;
let formats = {};

export function useLocal(yes) {
  local = yes;
  formats = {};
}

export function zoneName() {
  return local ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
}

function format(name, options) {
  formats[name] ??= new Intl.DateTimeFormat("en-GB",
    {hourCycle: "h23", ...(local ? {} : {timeZone: "UTC"}), ...options});
  return formats[name];
}

/** 10:00, or 10:00:07 where seconds matter. */
export function clock(millis, seconds = false) {
  return format(seconds ? "hms" : "hm",
    {hour: "2-digit", minute: "2-digit", ...(seconds ? {second: "2-digit"} : {})}).format(millis);
}

/** Thu 1 Jan. */
export function day(millis) {
  return format("day", {weekday: "short", day: "numeric", month: "short"}).format(millis).replace(",", "");
}

/** 2026-01-01: what tells two days apart. */
export function dayKey(millis) {
  const parts = {};
  format("key", {year: "numeric", month: "2-digit", day: "2-digit"}).formatToParts(millis)
    .forEach(part => parts[part.type] = part.value);
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/** Thu 1 Jan, 10:00. */
export function moment(millis) {
  return `${day(millis)}, ${clock(millis)}`;
}

/** The hour of the day, 0 to 23. */
export function hourOf(millis) {
  return Number(clock(millis).slice(0, 2));
}

/** 3 days, 1 h 12 min, 45 s: two units at most. */
export function duration(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) {
    const minutes = Math.floor(s % 3600 / 60);
    return `${Math.floor(s / 3600)} h${minutes ? ` ${minutes} min` : ""}`;
  }
  const days = Math.floor(s / 86_400), hours = Math.floor(s % 86_400 / 3600);
  return `${days} day${days === 1 ? "" : "s"}${days < 7 && hours ? ` ${hours} h` : ""}`;
}

/** Round times between two, about so many, and how to write them. */
export function ticks(from, to, about) {
  const step = STEPS.find(s => (to - from) / s <= about) ?? STEPS.at(-1);
  const shift = local ? -new Date(from).getTimezoneOffset() * MINUTE : 0;
  const found = [];
  for (let t = Math.ceil((from + shift) / step) * step - shift; t <= to; t += step) found.push(t);
  const write = step >= DAY ? day : t => clock(t, step < MINUTE);
  return found.map(time => ({time, text: write(time)}));
}
