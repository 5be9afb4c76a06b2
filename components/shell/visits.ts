/** An object's page: what it is called, and what it is. */
export type Visit = { href: string; name: string; kind: string };

const MOST = 6;

/**
 * The pages to keep after a visit, newest first. Undefined where nothing is to be written. A visit is written once:
 * another tab's visit on top of it would otherwise be answered with this one, and the tabs would never stop.
 */
export function visitsToKeep(
  recent: readonly Visit[],
  visit: Visit | undefined,
  written: Visit | undefined,
): Visit[] | undefined {
  if (!visit || visit === written) return undefined;
  if (recent[0]?.href === visit.href && recent[0].name === visit.name) return undefined;
  const others = recent.filter(({ href }) => href !== visit.href);
  return [visit, ...others].slice(0, MOST);
}

export function readVisits(text: string | undefined): Visit[] {
  try {
    const all: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(all) ? all.filter(isVisit) : [];
  } catch {
    return [];
  }
}

const isVisit = (one: unknown): one is Visit =>
  typeof one === "object" &&
  one !== null &&
  "href" in one &&
  typeof one.href === "string" &&
  /^\/[^/\\]/.test(one.href) &&
  "name" in one &&
  typeof one.name === "string" &&
  "kind" in one &&
  typeof one.kind === "string";
