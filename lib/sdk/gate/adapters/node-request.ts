import type { GateOptions } from "../gate-options.ts";
import { HIDDEN_HEADERS } from "../headers.ts";
import { type LazyBody, readLazily } from "./node-body.ts";
import type { NodeRequest } from "./node-types.ts";

/** A Node request as the gate reads it. */
export type WebRequest = { request: Request; path: string; body: LazyBody };

/** A Node request as a Web request, or `null` when its URL or headers are invalid. */
export function toWebRequest(
  incoming: NodeRequest,
  { signal, maxBodyBytes }: { signal: AbortSignal } & Pick<GateOptions, "maxBodyBytes">,
): WebRequest | null {
  const { method = "GET", url = "/", originalUrl = url } = incoming;
  const body = readLazily(incoming, maxBodyBytes);
  const { stream } = body;
  try {
    const request = new Request(urlOf(incoming, originalUrl), {
      method,
      headers: headersOf(incoming),
      signal,
      ...(stream && { body: stream, duplex: "half" }),
    } as RequestInit);
    return { request, path: url, body };
  } catch {
    return null;
  }
}

// Concatenated, not resolved: a path such as //host would be read as another origin. A host that brings a path or query along is
// refused: the request would be priced by those, while the work reads the request's own. So is a `#`, after which some servers read on.
function urlOf({ headers, socket }: NodeRequest, target: string): string {
  if (target.includes("#")) return "";
  if (!target.startsWith("/")) return target;
  const scheme = "encrypted" in socket && socket.encrypted ? "https" : "http";
  const host = `${headers[":authority"] || headers.host || "localhost"}`;
  return /[/?#\\@]/.test(host) ? "" : `${scheme}://${host}${target}`;
}

function headersOf({ headers }: NodeRequest): Headers {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 pseudo-headers start with a colon.
    if (value === undefined || name.startsWith(":")) continue;
    for (const item of Array.isArray(value) ? value : [value]) copied.append(name, item);
  }
  return copied;
}

/** Removes what the work does not see. */
export function hideHeaders({ headers, rawHeaders }: NodeRequest): void {
  for (const name of HIDDEN_HEADERS) delete headers[name];
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (HIDDEN_HEADERS.includes(rawHeaders[index]?.toLowerCase() ?? ""))
      rawHeaders.splice(index, 2);
  }
}
