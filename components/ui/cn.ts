import { type ClassValue, clsx } from "clsx";
import { groupOf } from "./class-groups.ts";

const MOST_KNOWN = 2_000;
const known = new Map<string, string>();

/** Joins class names; of two that set the same property the later wins. */
export function cn(...classes: ClassValue[]): string {
  const joined = clsx(classes);
  const merged = known.get(joined) ?? merge(joined);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(joined, merged);
  return merged;
}

/** From the last to the first: what is set later, under the same conditions, drops what came before. */
function merge(joined: string): string {
  const taken = new Set<string>();
  const kept: string[] = [];
  for (const name of joined.split(/\s+/).filter(Boolean).reverse()) {
    const at = endOfConditions(name);
    const conditions = name.slice(0, at);
    const { group, drops = [] } = groupOf(name.slice(at)) ?? {};
    if (group !== undefined) {
      if (taken.has(conditions + group)) continue;
      for (const one of [group, ...drops]) taken.add(conditions + one);
    }
    kept.push(name);
  }
  return kept.reverse().join(" ");
}

/** Where the utility begins after `max-sm:hover:`; colons in brackets do not count. */
function endOfConditions(name: string): number {
  let depth = 0;
  let end = 0;
  for (let at = 0; at < name.length; at += 1) {
    const sign = name[at];
    if (sign === "[" || sign === "(") depth += 1;
    else if (sign === "]" || sign === ")") depth -= 1;
    else if (sign === ":" && depth === 0) end = at + 1;
  }
  return end;
}
