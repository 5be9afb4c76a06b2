import { readdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:zlib";
import compression from "compression";
import type { Handler } from "./http-server.ts";

const TYPES = { js: "application/javascript; charset=UTF-8", css: "text/css; charset=UTF-8" };
/** A script that Next loads and runs as soon as the browser meets its tag. */
const ASYNC_TAG = /<script (?=src="\/_next\/static\/[^>]* async="")/g;
/** React's early request for one of them. */
const PRELOAD_TAG = /<link rel="preload" as="script"[^>]*>/g;

/** The document of an error that no layout caught: nothing in it runs what is held, and its scripts make the page. */
const BARE_TAG = /<html[^>]* id="__next_error__"/;

type Chunk = string | Uint8Array;

/** Compresses what `pages` sends, and holds the scripts of pages until they are painted (ADR 150, 151). */
export function servePages(pages: Handler, staticFolder = ".next/static"): Handler {
  const built = new Set(
    readdirSync(staticFolder, { recursive: true }).map((name) => `/_next/static/${name}`),
  );
  const compress = compression({
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } },
  }) as unknown as (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  return (request, response) => {
    sendBuilt(request, response, built);
    compress(request, response, () => {});
    holdScripts(response);
    pages(request, response);
  };
}

/** Asks for the file that `scripts/compress-static.mjs` has compressed, if the browser takes it. */
function sendBuilt(request: IncomingMessage, response: ServerResponse, built: Set<string>): void {
  const [path = "", query] = (request.url ?? "").split("?", 2);
  const type = TYPES[path.slice(path.lastIndexOf(".") + 1) as keyof typeof TYPES];
  if (!type || !built.has(`${path}.br`)) return;
  response.setHeader("vary", "accept-encoding");
  if (!/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(request.headers["accept-encoding"])))
    return;
  request.url = `${path}.br${query === undefined ? "" : `?${query}`}`;
  response.setHeader("content-encoding", "br");
  response.setHeader("content-type", type);
}

/** Marks each async script of a page as held, which `HeldScripts` runs. */
function holdScripts(response: ServerResponse): void {
  const write = response.write.bind(response) as (chunk: Chunk, ...rest: unknown[]) => boolean;
  const end = response.end.bind(response) as (...rest: unknown[]) => ServerResponse;
  const isPage = () => String(response.getHeader("content-type")).startsWith("text/html");
  let kept = "";
  let isBare = false;
  const hold = (chunk: Chunk, isLast: boolean): Buffer => {
    if (!response.headersSent) response.removeHeader("content-length");
    // One character for each byte, so that a chunk may end within a character.
    const text = kept + Buffer.from(chunk as string).toString("latin1");
    const tag = text.lastIndexOf("<");
    // A tag may continue in the next chunk.
    const length = isLast || tag < 0 || text.includes(">", tag) ? text.length : tag;
    kept = text.slice(length);
    const whole = text.slice(0, length);
    isBare ||= BARE_TAG.test(whole);
    if (isBare) return Buffer.from(whole, "latin1");
    const held = whole.replace(ASYNC_TAG, '<script type="text/held" ').replace(PRELOAD_TAG, "");
    return Buffer.from(held, "latin1");
  };
  response.write = (chunk: Chunk, ...rest: unknown[]) =>
    isPage() ? write(hold(chunk, false), ...rest) : write(chunk, ...rest);
  response.end = (...[chunk, ...rest]: unknown[]) =>
    isPage() && typeof chunk !== "function"
      ? end(hold((chunk ?? "") as Chunk, true), ...rest)
      : end(chunk, ...rest);
}
