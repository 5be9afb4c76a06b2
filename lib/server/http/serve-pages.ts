import { readdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:zlib";
import compression from "compression";
import type { Handler } from "./http-server.ts";

const TYPES = { js: "application/javascript; charset=UTF-8", css: "text/css; charset=UTF-8" };
/** Compresses what `pages` sends (ADR 151). */
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
