const MAX_DEPTH = 500;

/** Whether JSON nests deeper than any document needs to: what walks it by recursion, as `JSON.stringify`, would throw. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}
