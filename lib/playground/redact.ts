import { canParseUrl } from "@turnpike/payments/protocol";
import type { SharedRun } from "@/lib/console/shared-run.ts";
import type { Exchange, HeaderLine } from "./exchange.ts";
import type { Run } from "./run.ts";

/** Headers that carry a secret, and names like theirs. */
const SECRET =
  /^(cookie|set-cookie|payment-signature)$|api[-_]?key|secret|token|password|auth(?!or\b|ors\b|ority)|session|credential|(^|[-_])key$/i;
/** Public, though named like secrets. */
const OPEN = /^(access-control-.*|(www|proxy)-authenticate)$/i;
export const MAX_BODY = 20_000;

/** Replaces the value of a secret header. */
const REDACTED = "redacted";

export const isRemoved = (value: string): boolean =>
  value === REDACTED || /\[[\w-]+-removed\]/.test(value);

/** Whether a header's value is left out of history, shared runs and exports. */
export const isSecretHeader = (name: string): boolean => SECRET.test(name) && !OPEN.test(name);

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

/** Removes the user name and password of a URL, and query parameters named like a secret. */
function cleanUrl(text: string): string {
  if (!canParseUrl(text)) return text;
  const url = new URL(text);
  if (url.username || url.password) {
    url.username = "";
    url.password = "";
  }
  // Written once: every change of a parameter writes the whole query.
  const given = [...url.searchParams];
  const clean = given.map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : value]);
  if (clean.some(([, value], at) => value !== given[at]?.[1])) {
    url.search = new URLSearchParams(clean).toString();
  }
  return url.href;
}

/** A run without tokens, keys, cookies and long bodies, as kept in the history. */
export function redactRun(run: Run): Run {
  const { input, ...clean } = withCleanExchanges(run);
  const isPasted = input.token.kind === "paste";
  return { ...clean, input: isPasted ? { ...input, token: { kind: "paste", token: "" } } : input };
}

/** Cleans headers, URLs and long bodies. */
export const withCleanExchanges = <R extends Pick<Run | SharedRun, "input" | "steps">>(
  run: R,
): R => ({
  ...run,
  input: {
    ...run.input,
    url: cleanUrl(run.input.url),
    headers: cleanHeaders(run.input.headers),
  },
  steps: run.steps.map((step) => ({
    ...step,
    exchange: step.exchange && cleanExchange(step.exchange),
  })),
});
