import type { Exchange, HeaderLine } from "./exchange.ts";
import type { Run } from "./run.ts";

/** Headers that carry a secret of the person's. */
const SECRET =
  /^(authorization|cookie|set-cookie|proxy-authorization|payment-signature|.*(api-?key|secret|token).*)$/i;
const MAX_BODY = 20_000;

/** What stands in a kept or shared run for a secret header. */
export const REDACTED = "redacted";

/** Whether a header's value is kept out of history, shares and exports. */
export const isSecretHeader = (name: string): boolean => SECRET.test(name);

/** What leaving the page would take away, for people to read before they share. */
export type Removed = { what: string; where: string };

const cleanHeaders = (headers: readonly HeaderLine[]): HeaderLine[] =>
  headers.map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : value]);

function cleanExchange(exchange: Exchange): Exchange {
  const { request, answer } = exchange;
  return {
    ...exchange,
    request: { ...request, url: cleanUrl(request.url), headers: cleanHeaders(request.headers) },
    answer: answer && {
      ...answer,
      headers: cleanHeaders(answer.headers),
      body: answer.body.length > MAX_BODY ? `${answer.body.slice(0, MAX_BODY)}…` : answer.body,
    },
  };
}

/** User and password of a URL, and query members named like a secret. */
function cleanUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.username || url.password) {
    url.username = "";
    url.password = "";
  }
  for (const name of url.searchParams.keys()) {
    if (isSecretHeader(name)) url.searchParams.set(name, REDACTED);
  }
  return url.href;
}

/** A run without tokens, keys, cookies and long bodies: what history keeps and a share carries. */
export function redactRun(run: Run): Run {
  const { token } = run.input;
  return {
    ...run,
    input: {
      ...run.input,
      url: cleanUrl(run.input.url),
      headers: cleanHeaders(run.input.headers),
      token: token.kind === "paste" ? { kind: "paste", token: "" } : token,
    },
    steps: run.steps.map((step) => ({
      ...step,
      exchange: step.exchange && cleanExchange(step.exchange),
    })),
  };
}

/** What `redactRun` takes out of this run. */
export function listRemoved(run: Run): Removed[] {
  const removed = new Map<string, Removed>();
  const note = (what: string, where: string) => removed.set(`${what} ${where}`, { what, where });
  for (const { exchange } of run.steps) {
    for (const [name] of exchange?.request.headers ?? []) {
      if (isSecretHeader(name)) note(name, "request");
    }
    for (const [name] of exchange?.answer?.headers ?? []) {
      if (isSecretHeader(name)) note(name, "answer");
    }
    if ((exchange?.answer?.body.length ?? 0) > MAX_BODY) note("the end of a long body", "answer");
  }
  for (const [name] of run.input.headers) if (isSecretHeader(name)) note(name, "request");
  return [...removed.values()];
}
