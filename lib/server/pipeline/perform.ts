import "server-only";
import { type Operation, PaymentsError, withoutNulls } from "@turnpike/payments/protocol";
import type { Caller, Context } from "@/lib/domain/context.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { createKeyUse } from "../watch/key-use.ts";
import { type OperationObserver, observed } from "../watch/observe-operation.ts";
import { applyFault, lostReply } from "./apply-fault.ts";
import { findCaller } from "./authenticate.ts";
import { createAccessCheck, requireClass } from "./check-access.ts";
import { readError } from "./error-answer.ts";
import type { RateLimits } from "./rate-limits.ts";
import { checkSize, checkStorable, inputErrors } from "./read-input.ts";
import type { Served, ServedOperation, Work } from "./served-operations.ts";

/** Who calls: an API key by its hash, someone signed in, or no one. */
export type Credentials = { keyHash: string } | { session: Caller } | null;

/** One call, as any entry point makes it. */
export type Call = {
  operation: Served;
  credentials: Credentials;
  input: unknown;
  requestId: string;
};

export type PipelineOptions = {
  ports: Ports;
  operations: readonly ServedOperation[];
  /** Notified of every operation that ran. */
  observe?: OperationObserver | undefined;
  /** Without limits, callers may call as often as they like. */
  limits?: Pick<RateLimits, "api" | "verify" | "settle" | "outbound" | "session"> | undefined;
};

/** The one way in: every entry point calls operations through `perform`. */
export type Pipeline = {
  operations: readonly ServedOperation[];
  /** Throws `not_found` for an operation this service does not have. */
  find: (name: string) => ServedOperation;
  /** Caller, rate limit, rights, input, sandbox fault, verb, observers. Throws only errors that the caller may see. */
  perform: (call: Call) => Promise<unknown>;
};

export function createPipeline({ ports, operations, observe, limits }: PipelineOptions): Pipeline {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const noteKeyUse = createKeyUse(ports);
  const checkAccess = createAccessCheck(ports);
  for (const { name, row } of operations) requireClass(name, row);

  async function run({ operation, credentials, input, requestId }: Call): Promise<unknown> {
    const { name, row, verb } = operation;
    if (credentials && "keyHash" in credentials) noteKeyUse(credentials.keyHash);
    const { caller, keyHash } = await readCaller(ports, row, credentials);
    await countCall(limits, row, { caller, keyHash });
    await checkAccess(operation, { caller, keyHash });
    const parsed = parseInput(row, input);
    const fault = ports.faults?.take(name, parsed) ?? null;
    await applyFault(fault);
    const answer = await observed(observe, { name, span: row.span, input: parsed }, () =>
      verb({ ports, caller, keyHash, requestId }, parsed),
    );
    if (fault?.kind === "reply-lost") throw lostReply();
    return answer;
  }

  return {
    operations,
    find(name) {
      const operation = byName.get(name);
      if (operation) return operation;
      throw new PaymentsError("not_found", `There is no operation ${JSON.stringify(name)}.`);
    },
    perform: (call) =>
      run(call).catch((cause) => {
        throw readError(cause, call.requestId, ports.log);
      }),
  };
}

type Known = Pick<Context, "caller" | "keyHash">;

async function readCaller(ports: Ports, row: Work, credentials: Credentials): Promise<Known> {
  if (credentials && "session" in credentials)
    return { caller: credentials.session, keyHash: null };
  const keyHash = credentials?.keyHash ?? null;
  if (row.access === "public") return { caller: null, keyHash };
  if (keyHash !== null && row.callerReadBy === "verb") return { caller: null, keyHash };
  return { caller: await findCaller(ports, keyHash), keyHash };
}

/** Counts calls per account or key. Public calls are not counted: made-up keys must not fill the counters. */
async function countCall(
  limits: PipelineOptions["limits"],
  { access, lane }: Work,
  { caller, keyHash }: Known,
): Promise<void> {
  if (!limits || (access === "public" && !caller)) return;
  if (lane === "outbound") return limits.outbound(caller?.account ?? "");
  if (keyHash !== null) return limits[lane](keyHash);
  if (caller) return limits.session[lane](caller.account);
}

/** An operation's input, parsed. Throws `payload_too_large`, or `invalid_input` that names every wrong field. */
export function parseInput(row: Pick<Operation, "input" | "maxInput">, given: unknown): unknown {
  checkSize(given, row.maxInput);
  checkStorable(given);
  const input = withoutNulls(given);
  const parsed = row.input.safeParse(input);
  if (parsed.success) return parsed.data;
  const details = inputErrors(parsed.error, input);
  const [first] = details;
  const message = first ? `${first.path || "input"}: ${first.message}` : "The input is not valid.";
  throw new PaymentsError("invalid_input", message, { details });
}
