import "server-only";
import { type Answered, answerOf, type Exchange, recordExchange } from "./exchange.ts";
import { askUnpaid, type Prober } from "./probe-endpoint.ts";
import { type ReadDefinition, readDefinition } from "./read-definition.ts";
import type { AgentDefinition, DiscoveryEvent, FoundEndpoint, Look } from "./report/discovery.ts";

const WELL_KNOWN = [
  "/openapi.json",
  "/.well-known/agent-card.json",
  "/.well-known/agent.json",
  "/mcp.json",
  "/.well-known/mcp.json",
];
const DOCUMENT_MS = 15_000;
/** Of all documents of one host together, as much as one may have: reading them keeps the process from everything else. */
const MOST_CHARACTERS = 5 * 1024 * 1024;

/** Finds an agent's definition: the URL itself first, then the well-known locations. */
export async function* discoverAgent(prober: Prober, url: string): AsyncGenerator<DiscoveryEvent> {
  const start = performance.now();
  const pasted = await fetchDocument(prober, url);
  const { outcome } = pasted;
  if (outcome.kind === "refused") {
    yield { type: "refused", code: outcome.code, message: outcome.message };
    return;
  }
  const { origin, pathname, search } = new URL(url);
  const others = WELL_KNOWN.filter((path) => path !== pathname || search !== "");
  yield { type: "looking", paths: [pathname + search, ...others] };

  let left = MOST_CHARACTERS;
  const readNext = (exchange: Exchange, path: string) => {
    const { length } = answerOf(exchange)?.text ?? "";
    if (length > left) return read(cutShort(exchange), path);
    left -= length;
    return read(exchange, path);
  };
  const first = readNext(pasted, pathname + search);
  yield { type: "looked", look: first.look };
  let definition = first.definition;
  // Do not try five more locations on a host that does not respond.
  if (outcome.kind === "answered") {
    const reads = others.map(async (path) =>
      readNext(await fetchDocument(prober, origin + path), path),
    );
    // One that fails before its turn is reported in its turn.
    for (const next of reads) next.catch(() => {});
    for (const next of reads) {
      const { look, definition: found } = await next;
      yield { type: "looked", look };
      definition ??= found;
    }
  }
  const endpoint =
    first.definition || outcome.kind !== "answered" ? null : await asEndpoint(prober, url, pasted);
  const ms = Math.round(performance.now() - start);
  yield { type: "done", definition, endpoint, ms };
}

const fetchDocument = ({ outbound, account, signal }: Prober, url: string): Promise<Exchange> =>
  recordExchange(outbound, {
    account,
    method: "GET",
    url,
    headers: { accept: "application/json, */*;q=0.1" },
    ...(signal && { signal }),
    totalMs: DOCUMENT_MS,
  });

const cutShort = (exchange: Exchange): Exchange => ({
  ...exchange,
  outcome: {
    ...(exchange.outcome as Answered),
    cut: { code: "too_large", message: "The host's documents are larger than 5 MiB together." },
  },
});

export function read(
  exchange: Exchange,
  path: string,
): { look: Look; definition: AgentDefinition | null } {
  const { url, outcome } = exchange;
  const look = (state: Look["state"], note: string): { look: Look; definition: null } => ({
    look: { url, path, state, note, ms: outcome.ms },
    definition: null,
  });
  if (outcome.kind !== "answered") return look("failed", outcome.message);
  const { status, text, cut } = outcome;
  if (status === 404 || status === 410) return look("absent", String(status));
  if (status < 200 || status >= 300) return look("other", String(status));
  if (cut) return look("failed", cut.message);
  const result = readSafely(text, url);
  if ("other" in result) return look("other", result.other);
  return { look: look("found", result.found.label).look, definition: result.found };
}

/** What no reader foresaw in a foreign document ends its own look only. */
function readSafely(text: string, url: string): ReadDefinition {
  try {
    return readDefinition(text, url);
  } catch {
    return { other: "not readable" };
  }
}

/** The URL as an endpoint, with the method that requires payment, or GET if none does. */
async function asEndpoint(
  prober: Prober,
  url: string,
  pasted: Exchange,
): Promise<FoundEndpoint | null> {
  const { pathname, origin, href } = new URL(url);
  const asks = (exchange: Exchange) => answerOf(exchange)?.status === 402;
  // A pasted endpoint is meant to be sold, even if it does not require payment yet.
  const endpoint = (verb: string): FoundEndpoint => ({
    verb,
    url: href,
    isPayable: true,
    isElsewhere: false,
  });
  if (asks(pasted)) return endpoint("GET");
  const isDocument = /\.(json|ya?ml|html?|txt)$/.test(pathname);
  if (pathname === "/" || isDocument) return null;
  const posted = await askUnpaid(prober, { verb: "POST", url: origin + pathname });
  return endpoint(asks(posted) ? "POST" : "GET");
}
