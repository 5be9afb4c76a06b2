import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** A line of the trace: a message may be long, and someone else's. */
const FRAME = /^ {4}at .{1,500}$/gm;
const PLACE = /(file:\/\/[^\s()]+\/\.next\/service\/[^\s()]+\.mjs):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap | null>();

/**
 * A stack trace through built files, with lines of their sources. A file's map is read with the first trace through it:
 * Node.js would read all maps when the service starts, and Next turns off what Node.js makes of them.
 */
export const withSourcePlaces = (stack: string): string =>
  stack.replace(FRAME, (frame) => frame.replace(PLACE, sourceOf));

function sourceOf(place: string, url: string, line: string, column: string): string {
  const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!entry || !("originalSource" in entry)) return place;
  const path = fileURLToPath(new URL(entry.originalSource, url));
  return `${path}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function mapOf(url: string): SourceMap | null {
  const known = maps.get(url);
  if (known !== undefined) return known;
  const map = readMap(url);
  maps.set(url, map);
  return map;
}

function readMap(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), "utf8")));
  } catch {
    return null;
  }
}
