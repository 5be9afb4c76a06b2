import { toJson } from "@turnpike/payments/protocol";

type Members = Record<string, unknown>;
type Change = { before: Members; after: Members };

/** Characters that are kept of a longer value, as JSON: the trail is never deleted. */
const MOST = 300;

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

/** A short value whole. Of a long list the items that the other one lacks, of any other the beginning. */
function keptOf(value: unknown, other: unknown): unknown {
  if (toJson(value).length <= MOST) return value;
  if (!Array.isArray(value)) return beginningOf(value);
  const others = new Set(Array.isArray(other) ? other.map((item) => toJson(item)) : []);
  const lacking = value.filter((item) => !others.has(toJson(item)));
  let room = MOST;
  const kept = lacking.map(beginningOf).filter((item, index) => {
    room -= toJson(item).length;
    return index === 0 || room >= 0;
  });
  return kept.length === value.length ? kept : [...kept, `… (${value.length} in all)`];
}

function beginningOf(value: unknown): unknown {
  const text = typeof value === "string" ? value : toJson(value);
  if (text.length <= MOST) return value;
  return `${text.slice(0, MOST).toWellFormed()}… (${text.length.toLocaleString("en-US")} characters)`;
}

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
