import { readJson } from "@turnpike/payments/protocol";
/** A header as sent or received; a name may occur more than once. */
export type HeaderLine = readonly [name: string, value: string];

export type PlainRequest = {
  method: string;
  url: string;
  headers: readonly HeaderLine[];
  body: string | null;
};

export type PlainAnswer = {
  status: number;
  headers: readonly HeaderLine[];
  /** As text. Binary data is counted, not shown. */
  body: string;
  bytes: number;
  /** Why the response was cut off. */
  cut: { code: string; message: string } | null;
};

/** A request and its response, or why there is none. */
export type Exchange = {
  request: PlainRequest;
  answer: PlainAnswer | null;
  /** `refused`: never sent. `failed`: may have reached the agent. `hidden`: answered, but the browser hides it. */
  failure: {
    kind: "refused" | "failed" | "hidden";
    code: string;
    message: string;
    /** The time limit of a request that took longer. */
    limitSecs?: number;
  } | null;
  startedAt: string;
  durationMs: number;
  /** A browser shows only the headers that CORS allows; the server, the default, sees all. */
  seenBy?: "browser";
};

/**
 * What the service streams to the page about a request it sends for it. The request itself is left out: the page
 * has it, and it may hold a token.
 */
export type SendEvent =
  | { type: "progress"; words: string }
  /** The response as far as it has arrived: its beginning, for the page to show meanwhile. */
  | { type: "partial"; answer: PlainAnswer }
  | { type: "done"; exchange: Omit<Exchange, "request"> };

/** The time limits a person can choose for a request, in seconds. */
export const TIME_LIMITS = [10, 30, 60, 120, 300] as const;
export const DEFAULT_LIMIT_SECS = 30;

/** Replaces the token wherever a run is shown, kept, shared or exported. */
export const TOKEN_NAME = "$TURNPIKE_ACCESS_TOKEN";

/** The first value of a header. The name is case-insensitive. */
export function headerOf(answer: PlainAnswer | null, name: string): string | null {
  const wanted = name.toLowerCase();
  return answer?.headers.find(([given]) => given.toLowerCase() === wanted)?.[1] ?? null;
}

export const jsonOf = (answer: PlainAnswer | null): unknown =>
  answer ? readJson(answer.body) : undefined;
