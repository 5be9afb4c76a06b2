/** A header as it stood on the wire; a name may come more than once. */
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
  /** As text; what is no text is counted and not shown. */
  body: string;
  bytes: number;
  /** Why the answer was not read to its end. */
  cut: { code: string; message: string } | null;
};

/** One request and what came of it: an answer, or why there is none. */
export type Exchange = {
  request: PlainRequest;
  answer: PlainAnswer | null;
  /** `refused` was never sent; `failed` may have reached the agent; `hidden` came, but the browser shows it to nobody. */
  failure: { kind: "refused" | "failed" | "hidden"; code: string; message: string } | null;
  startedAt: string;
  durationMs: number;
};

/**
 * What a page hears of a request that the service sends for it: words on the way, and what came of it. The page
 * knows what it asked, and what it asked may hold a token: it is not said back.
 */
export type SendEvent =
  | { type: "progress"; words: string }
  | { type: "done"; exchange: Omit<Exchange, "request"> };

/** What stands for the token wherever a run is shown, kept, shared or exported. */
export const TOKEN_NAME = "$SVC_TOKEN";

/** A header's value, whatever the case of its name; the first when it came more than once. */
export function headerOf(answer: PlainAnswer | null, name: string): string | null {
  const wanted = name.toLowerCase();
  return answer?.headers.find(([given]) => given.toLowerCase() === wanted)?.[1] ?? null;
}

/** The body as JSON, or undefined when it is not. */
export function jsonOf(answer: PlainAnswer | null): unknown {
  if (!answer) return undefined;
  try {
    return JSON.parse(answer.body);
  } catch {
    return undefined;
  }
}
