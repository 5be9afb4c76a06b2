import { shortenIdentifier } from "./shorten-identifier.ts";

/** Names by id, for lists to choose from: one that several share is followed by its shortened id. */
export function distinctNames(
  named: Iterable<readonly [id: string, name: string]>,
): ReadonlyMap<string, string> {
  const names = new Map(named);
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    Array.from(names, ([id, name]) => [
      id,
      counts.get(name) === 1 ? name : `${name} (${shortenIdentifier(id)})`,
    ]),
  );
}
