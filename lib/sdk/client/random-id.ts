/**
 * A new id that fits every id field: the prefix, the time in milliseconds and 128 random bits. Ids made one after the other lie side
 * by side in an index, and none can be guessed.
 */
export function randomId(prefix: string): string {
  if (next === words.length) {
    crypto.getRandomValues(words);
    next = 0;
  }
  let id = prefix + Date.now().toString(36);
  for (const end = next + 4; next < end; next++) id += words[next];
  return id;
}

/** Random numbers for the next ids: one request for many takes as long as one for a few. */
const words = new Uint32Array(256);
let next = words.length;
