import { toJson } from "@turnpike/payments/protocol";

type Members = Record<string, unknown>;
type Change = { before: Members; after: Members };

/**
 * Characters that are kept of a longer value, as JSON: the trail is never deleted. Items of a list share theirs, so that
 * none of an agent's 100 endpoints is hidden behind others.
 */
const MOST = 300;
const MOST_OF_LIST = 8_000;
const LEAST = 40;

/** The members that differ, before and after, as JSON carries them; inside members, too. Times of change are left out. */
export function changedMembers(from: object, to: object): Change {
  const [{ updatedAt: _, ...old }, { updatedAt: _u, ...now }] = [from, to].map((each) =>
    JSON.parse(toJson(each)),
  ) as [Members, Members];
  return changeOf(old, now);
}

function changeOf(old: Members, now: Members): Change {
  const change: Change = { before: {}, after: {} };
  for (const name of Object.keys({ ...old, ...now })) {
    const [was, is] = [old[name] ?? null, now[name] ?? null];
    if (toJson(was) === toJson(is)) continue;
    const nested = isObject(was) && isObject(is) ? changeOf(was, is) : null;
    change.before[name] = nested ? nested.before : keptOf(was, is);
    change.after[name] = nested ? nested.after : keptOf(is, was);
  }
  return change;
}

/** A short value whole. Of a long list the items that differ from the other one's, of any other where it begins to. */
function keptOf(value: unknown, other: unknown): unknown {
  if (toJson(value).length <= MOST) return value;
  if (!Array.isArray(value)) return shortened(value, other, MOST);
  const others: unknown[] = Array.isArray(other) ? other : [];
  const changed = changedItems(value, others);
  const each = Math.max(LEAST, Math.min(MOST, Math.floor(MOST_OF_LIST / changed.length)));
  const isPaired = others.length === value.length;
  const kept = changed
    .slice(0, MOST_OF_LIST / each)
    .map((at) => shortened(value[at], isPaired ? others[at] : undefined, each));
  if (kept.length === value.length) return kept;
  const leftOut = changed.length - kept.length;
  const more = leftOut > 0 ? `, ${leftOut} that changed are left out` : "";
  return [...kept, `… (${value.length} in all${more})`];
}

/** Where a list differs from another: by position where both are as long, else between the beginning and end that they share. */
function changedItems(list: unknown[], others: unknown[]): number[] {
  const [json, other] = [list, others].map((items) => items.map((item) => toJson(item))) as [
    string[],
    string[],
  ];
  const places = [...json.keys()];
  if (json.length === other.length) return places.filter((at) => json[at] !== other[at]);
  const shorter = Math.min(json.length, other.length);
  let start = 0;
  while (start < shorter && json[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && json.at(-1 - end) === other.at(-1 - end)) end++;
  return places.slice(start, json.length - end);
}

function shortened(value: unknown, other: unknown, most: number): unknown {
  const text = textOf(value);
  if (text.length <= most) return value;
  const before = textOf(other);
  let start = 0;
  while (start < text.length - most && text[start] === before[start]) start++;
  const kept = text.slice(start, start + most).toWellFormed();
  const [head, tail] = [start > 0 ? "…" : "", start + most < text.length ? "…" : ""];
  return `${head}${kept}${tail} (${text.length.toLocaleString("en-US")} characters)`;
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : toJson(value ?? "");

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
