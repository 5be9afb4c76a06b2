import recorded from "./recorded-examples.json" with { type: "json" };

/** What was sent, below `/api/v1`. */
export type RecordedRequest = {
  path: string;
  /** The `Idempotency-Key` header. */
  repeatKey?: string;
  body?: Record<string, unknown>;
};

/** One call of an operation as `scripts/public/record-examples.ts` made it; lists are cut to one entry. */
export type Recorded = {
  request: RecordedRequest;
  /** The arguments of the client's method that sends this request. */
  args?: unknown[];
  answer: unknown;
};

/** By the operation's name. */
export const recordedExamples: Readonly<Record<string, Recorded>> = recorded as never;
