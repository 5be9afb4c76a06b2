/** Folders of ours that hold more than `max` files themselves, without those in folders below. */
export function findLargeFolders(
  paths: readonly string[],
  max: number,
): { folder: string; files: number }[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.split("/").slice(0, -1).join("/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, files]) => files > max && !NUMBERED.has(folder))
    .map(([folder, files]) => ({ folder, files }));
}

/** Archives that grow by a number and are read by their index. */
const NUMBERED = new Set(["docs/adr"]);
