import { detailsOf } from "../protocol/error-envelope.ts";
import { ERRORS, PaymentsError } from "../protocol/errors.ts";
import { ISSUE_WORDS } from "../protocol/issue-text.ts";
import { calls } from "../protocol/operations/calls.ts";
import type { Call } from "../protocol/operations/operation.ts";
import type { InputOf, OutputOf } from "../protocol/operations.ts";
import type { Connection } from "./connection.ts";
import { readAnswer } from "./read-answer.ts";
import { sendWithin } from "./send-within.ts";
import { writeRequest } from "./write-request.ts";

type PayerCalls = typeof import("../protocol/operations/payer-calls.ts").payerCalls;

/** How long one call may take and how often it may be repeated, when the connection's own do not fit. */
export type CallOptions = {
  timeoutMs?: number;
  maxRetries?: number;
  /** `timeoutMs` is the deadline of all attempts and pauses together, because someone is waiting. */
  endsAtTimeout?: boolean;
};

/**
 * `isOwn`: this package made the input, which is sent without a check. `isBackground`: nothing waits for the answer, so it keeps
 * no process alive.
 */
type OwnOptions = CallOptions & { isOwn?: boolean; isBackground?: boolean };

const FIRST_DELAY_MS = 200;
const MAX_RETRY_AFTER_SECS = 20;

/**
 * Calls one operation of the service. Throws a `PaymentsError`: the service's own, or `invalid_input`
 * before anything is sent, `network_error`, `timeout`, `invalid_answer`. Retries only what is safe to repeat.
 *
 * @example await call(connection, "getPlan", { planId: "42" })
 */
export function call<K extends keyof typeof calls | keyof PayerCalls>(
  connection: Connection,
  name: K,
  input: InputOf<K>,
  options: OwnOptions = {},
): Promise<OutputOf<K>> {
  const by = (rows: Partial<typeof calls & PayerCalls>) =>
    callOperation(connection, { name, row: rows[name] as Call }, input, options);
  const answer = Object.hasOwn(calls, name) ? by(calls) : loadPayerCalls().then(by);
  return answer as Promise<OutputOf<K>>;
}

let payerCalls: PayerCalls | undefined;

const loadPayerCalls = async () =>
  (payerCalls ??= (await import("../protocol/operations/payer-calls.ts")).payerCalls);

/** The same for an operation of any table. */
export async function callOperation(
  connection: Connection,
  { name, row }: { name: string; row: Call },
  input: unknown,
  options: OwnOptions = {},
): Promise<unknown> {
  if (!options.isOwn) checkInput(name, row, input);
  const members = input as Record<string, unknown>;
  const { url, init } = writeRequest(connection.baseUrl, row, members);
  init.isBackground = options.isBackground;
  const timeoutMs = options.timeoutMs ?? connection.timeoutMs ?? row.timeoutMs;
  const retries = isRepeatable(row, members) ? (options.maxRetries ?? connection.maxRetries) : 0;
  const subject = describeCall(name, members);
  const endsAt = options.endsAtTimeout ? performance.now() + timeoutMs : Number.POSITIVE_INFINITY;

  for (let attempt = 0; ; attempt++) {
    try {
      const leftMs = Math.min(timeoutMs, endsAt - performance.now());
      const answer = await sendWithin(connection, { url, init, timeoutMs: leftMs, subject });
      return readAnswer(subject, row.output, answer);
    } catch (error) {
      const delayMs = PaymentsError.is(error) ? retryDelayMs(error, attempt) : null;
      if (attempt >= retries || delayMs === null || performance.now() + delayMs >= endsAt)
        throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

function checkInput(name: string, row: Call, input: unknown): void {
  const parsed = row.input.safeParse(input, ISSUE_WORDS);
  if (parsed.success) return;
  const details = detailsOf(parsed.error);
  const [first] = details;
  throw new PaymentsError(
    "invalid_input",
    `${name}: ${first?.path ? `\`${first.path}\`: ` : ""}${first?.message ?? "wrong input"}`,
    { details },
  );
}

const isRepeatable = ({ repeatable, repeatKey }: Call, members: Record<string, unknown>): boolean =>
  repeatable || (repeatKey !== undefined && members[repeatKey] !== undefined);

// When the outcome is unknown, the caller needs the id to retry.
function describeCall(name: string, members: Record<string, unknown>): string {
  for (const key of ["agentRequestId", "idempotencyKey"]) {
    if (members[key] !== undefined) return `${name} (${key} ${members[key]})`;
  }
  return name;
}

/** How long to wait before the call is repeated, or `null` when a repeat would not help. */
function retryDelayMs(error: PaymentsError, attempt: number): number | null {
  const status = ERRORS[error.code].status;
  const isTransport = error.code === "network_error" || error.code === "timeout";
  if (!isTransport && status !== 429 && status !== 503) return null;
  if (error.retryAfterSecs !== undefined) {
    return error.retryAfterSecs <= MAX_RETRY_AFTER_SECS ? error.retryAfterSecs * 1000 : null;
  }
  return FIRST_DELAY_MS * 2 ** attempt * (0.75 + Math.random() / 2);
}
