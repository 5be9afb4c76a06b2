type Pair = [name: string, value: string | string[]];

/** Headers as `writeHead` takes them, each name once: an object, a list of pairs, or a flat list, in which names may be repeated. */
export function headerPairs(headers: unknown): Pair[] {
  if (typeof headers !== "object" || headers === null) return [];
  if (!Array.isArray(headers)) {
    return Object.entries(headers).filter(([, value]) => value !== undefined);
  }
  const pairs = new Map<string, Pair>();
  const add = (name: string, value: string | string[]) => {
    const earlier = pairs.get(name.toLowerCase());
    pairs.set(name.toLowerCase(), [name, earlier ? [earlier[1], value].flat() : value]);
  };
  if (Array.isArray(headers[0])) for (const [name, value] of headers) add(String(name), value);
  else {
    for (let index = 0; index + 1 < headers.length; index += 2) {
      add(String(headers[index]), headers[index + 1]);
    }
  }
  return [...pairs.values()];
}
