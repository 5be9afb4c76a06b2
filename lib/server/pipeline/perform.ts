import "server-only";
import {
  ISSUE_WORDS,
  type Operation,
  PaymentsError,
  withoutNulls,
} from "@turnpike/payments/protocol";
import type { Context } from "@/lib/domain/context.ts";
import { refreshCatalog } from "@/lib/domain/discovery/catalog.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { type OperationObserver, observed } from "../watch/observe-operation.ts";
import { type Admitted, type CallLimits, type Credentials, createAdmission } from "./admit.ts";
import { applyFault, lostReply } from "./apply-fault.ts";
import { createAccessCheck, requireClass } from "./check-access.ts";
import { readError } from "./error-answer.ts";
import { createPublicReads } from "./public-reads.ts";
import { checkSize, checkStorable, inputErrors } from "./read-input.ts";
import { createReadTurns, takesTurn } from "./read-turns.ts";
import type { Served, ServedOperation } from "./served-operations.ts";

type Given = { operation: Served; input: unknown };

/** One call, as any entry point makes it. */
type Call = {
  credentials: Credentials;
  /** The client's address, where limits count calls by it. */
  address?: string | undefined;
  /** The client's address where limits have counted it before, as that of a page. */
  sentFrom?: string | undefined;
  requestId: string;
} & (Given | { operation: Served; read: () => Promise<Given> });

export type PipelineOptions = {
  ports: Ports;
  /** The ports of reads, on connections of their own; without them those of all work. */
  reads?: Ports;
  operations: readonly ServedOperation[];
  /** Notified of every operation that ran. */
  observe?: OperationObserver | undefined;
  /** Without limits, callers may call as often as they like. */
  limits?: CallLimits | undefined;
};

/** The one way in: every entry point calls operations through `perform`. */
export type Pipeline = ReturnType<typeof createPipeline>;

export function createPipeline(options: PipelineOptions) {
  const { ports, reads = ports, operations, observe, limits } = options;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const { admit, noteFailure } = createAdmission(ports, limits);
  const checkAccess = createAccessCheck(ports);
  const publicReads = createPublicReads();
  const turns = createReadTurns();
  let underWay = 0;
  let onIdle = () => {};
  for (const { name, row } of operations) requireClass(name, row);

  /**
   * Caller, rate limit, rights, input, sandbox fault, verb, observers. Reads the body, with `read`, only for a caller who may
   * call; of several operations with one path, `read` names the one. Throws only errors that the caller may see.
   */
  async function perform(call: Call): Promise<unknown> {
    underWay += 1;
    try {
      return await run(call);
    } catch (cause) {
      noteFailure(call.credentials, cause);
      throw readError(cause, call.requestId, ports.log);
    } finally {
      underWay -= 1;
      if (underWay === 0) onIdle();
    }
  }

  async function run(call: Call): Promise<unknown> {
    const { credentials, address, sentFrom = address, requestId } = call;
    const { row: asked } = call.operation;
    const { caller, keyHash, countMiss } = await admit({ row: asked, credentials, address });
    const context: Context = { ports, caller, keyHash, requestId, address: sentFrom };
    const { operation, input } = "read" in call ? await call.read() : call;
    const { name, row } = operation;
    await checkAccess(operation, context);
    const parsed = parseInput(row, input);
    const fault = ports.faults?.take(name, parsed) ?? null;
    if (fault) await applyFault(fault);
    const answer = await observed(observe, { name, span: row.span, input: parsed }, () =>
      runVerb(operation, context, parsed, countMiss),
    );
    if (fault?.kind === "reply-lost") throw lostReply();
    return answer;
  }

  async function runVerb(
    { name, row, verb }: Served,
    context: Context,
    input: unknown,
    countMiss: Admitted["countMiss"],
  ): Promise<unknown> {
    if (row.lane === "verify" || row.lane === "settle") {
      return turns.pay(() => verb(context, input));
    }
    if (row.method === "GET") {
      const { address: by } = context;
      const reader = context.caller?.account ?? by ?? name;
      const read = () => verb({ ...context, ports: reads }, input);
      const load = takesTurn(row) ? () => turns.read(reader, read) : read;
      const { cacheSecs: secs } = row;
      return secs && !context.caller
        ? publicReads.get({ name, input, secs, by, countMiss, load })
        : load();
    }
    const answer = await verb(context, input);
    // What everyone may read is about plans and agents, at a time. After a refusal it would be anyone's to clear.
    if (row.lane === "api" && (row.scope === "plans" || row.audience === "sandbox")) {
      publicReads.clear();
      refreshCatalog(reads);
    }
    return answer;
  }

  return {
    operations,
    /** Throws `not_found` for an operation this service does not have. */
    find(name: string): ServedOperation {
      const operation = byName.get(name);
      if (operation) return operation;
      throw new PaymentsError("not_found", `There is no operation ${JSON.stringify(name)}.`);
    },
    perform,
    /** Whether a payment was under way in the last second or two. */
    isPaying: turns.isPaying,
    /** Waits until nothing is under way: a client that leaves does not end its call. */
    async idle() {
      if (underWay === 0) return;
      await new Promise<void>((done) => {
        onIdle = done;
      });
    },
  };
}

/** An operation's input, parsed. Throws `payload_too_large`, or `invalid_input` that names every wrong field. */
export function parseInput(
  row: Pick<Operation, "input" | "maxInput" | "maxMembers">,
  given: unknown,
): unknown {
  checkSize(given, row);
  checkStorable(given);
  const input = withoutNulls(given);
  const parsed = row.input.safeParse(input, ISSUE_WORDS);
  if (parsed.success) return parsed.data;
  const details = inputErrors(parsed.error, input);
  const [first] = details;
  const message = first ? `${first.path || "input"}: ${first.message}` : "The input is not valid.";
  throw new PaymentsError("invalid_input", message, { details });
}
