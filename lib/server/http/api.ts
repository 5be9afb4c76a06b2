import "server-only";
import {
  buildOpenApi,
  type Operation,
  type OperationName,
  operations,
  PaymentsError,
  toJson,
  withoutNulls,
} from "@turnpike/payments/protocol";
import { Hono, type Context as HonoContext } from "hono";
import type { Ports } from "@/lib/domain/ports.ts";
import { verbs } from "@/lib/domain/verbs.ts";
import { createKeyUse } from "../watch/key-use.ts";
import { type OperationObserver, observed } from "../watch/observe-operation.ts";
import { findCaller, readKeyHash } from "./authenticate.ts";
import { errorAnswer } from "./error-answer.ts";
import type { Health } from "./health.ts";
import type { RateLimits } from "./rate-limits.ts";
import { checkStorable, MAX_BODY_BYTES, readBody } from "./read-input.ts";
import { type AnyVerb, parseInput } from "./run-operation.ts";
import { struck } from "./strike.ts";

export const API_VERSION = "0.1.0";

export type ApiOptions = {
  ports: Ports;
  origin: string;
  health: () => Promise<Health>;
  /** Hears of every operation that ran. */
  observe?: OperationObserver | undefined;
  /** How often one API key may call; absent is as often as it likes. */
  limits?: KeyLimits | undefined;
};

type KeyLimits = Pick<RateLimits, "api" | "verify" | "settle">;

type Candidate = { name: OperationName; row: Operation };
type Serving = Pick<ApiOptions, "ports" | "observe" | "limits"> & {
  noteUse: (keyHash: string) => void;
};

/** Verify and settle read their caller together with everything else, in one round to the database. */
const READS_OWN_CALLER: ReadonlySet<OperationName> = new Set([
  "verifyPermissions",
  "settlePermissions",
]);

/** A paid call under way is never kept from its end by what else its key does. */
function limitOf(name: OperationName): keyof KeyLimits {
  if (name === "verifyPermissions") return "verify";
  const isEnd = name === "settlePermissions" || name === "releasePermissions";
  return isEnd ? "settle" : "api";
}

/** The HTTP API: the operations table, served. A plain `Request → Response` function, so tests need no port. */
export function createApi({ ports, origin, health, observe, limits }: ApiOptions): Hono {
  const api = new Hono().basePath("/api/v1");
  const document = buildOpenApi({ origin, version: API_VERSION });

  api.get("/health", async (http) => {
    const state = await health();
    return http.json(state, state.ok ? 200 : 503, { "cache-control": "no-store" });
  });
  api.get("/openapi.json", (http) => http.json(document));
  const noteUse = createKeyUse(ports);
  for (const candidates of groupByRoute(ports)) {
    const [{ row }] = candidates;
    api.on(row.method, row.path, (http) =>
      serve({ ports, noteUse, observe, limits }, candidates, http),
    );
  }
  api.notFound((http) => errorAnswer(noRoute(http), crypto.randomUUID(), ports.log));
  api.onError((cause) => errorAnswer(cause, crypto.randomUUID(), ports.log));
  return api;
}

async function serve(
  { ports, noteUse, observe, limits }: Serving,
  candidates: Candidate[],
  http: HonoContext,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  try {
    const keyHash = readKeyHash(ports, http.req.header("authorization"));
    if (keyHash !== null) noteUse(keyHash);
    const given = await readGiven(http);
    const { name, row } = choose(candidates, given);
    const isHot = READS_OWN_CALLER.has(name);
    const mustKnow = row.access === "key" && !isHot;
    const caller = mustKnow ? await findCaller(ports, keyHash) : null;
    if (isHot && keyHash === null) await findCaller(ports, null);
    // Public operations look no key up, and made-up keys must not fill the counters.
    if (limits && keyHash !== null && (caller || isHot)) await limits[limitOf(name)](keyHash);
    const input = parseInput(row, given);
    const verb = verbs[name] as AnyVerb;
    const run = async () => {
      const answer = await observed(observe, { name, input }, () =>
        verb({ ports, caller, keyHash, requestId }, input),
      );
      return new Response(toJson(answer), {
        headers: {
          "content-type": "application/json",
          "cache-control": "no-store",
          "x-request-id": requestId,
        },
      });
    };
    const strike = ports.faults?.take(name, input);
    return await (strike ? struck(strike, run) : run());
  } catch (cause) {
    return errorAnswer(cause, requestId, ports.log);
  }
}

/** Body, query and path members as one input; the path wins. */
async function readGiven(http: HonoContext): Promise<Record<string, unknown>> {
  const { req } = http;
  const hasBody = req.method === "POST" || req.method === "PUT";
  if (hasBody && Number(req.header("content-length") ?? 0) > MAX_BODY_BYTES) {
    throw new PaymentsError(
      "payload_too_large",
      `The body is larger than ${MAX_BODY_BYTES} bytes.`,
    );
  }
  const body = hasBody ? readBody(await req.text()) : {};
  const outside = { ...(hasBody ? {} : req.query()), ...req.param() };
  checkStorable(outside, "", 0);
  const idempotencyKey = req.header("idempotency-key");
  return {
    ...body,
    ...(withoutNulls(outside) as Record<string, unknown>),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

function choose(candidates: Candidate[], given: Record<string, unknown>): Candidate {
  const chosen = candidates.find(({ row }) => row.meant?.(given) ?? true);
  return chosen ?? (candidates[0] as Candidate);
}

/** Operations that share method and path, in the table's order; sandbox operations only in the sandbox. */
function groupByRoute({ environment }: Ports): [Candidate, ...Candidate[]][] {
  const groups = new Map<string, [Candidate, ...Candidate[]]>();
  for (const [name, row] of Object.entries(operations) as [OperationName, Operation][]) {
    if (row.sandboxOnly && environment !== "sandbox") continue;
    const key = `${row.method} ${row.path}`;
    const group = groups.get(key);
    if (group) group.push({ name, row });
    else groups.set(key, [{ name, row }]);
  }
  return [...groups.values()];
}

const noRoute = (http: HonoContext) =>
  new PaymentsError("not_found", `There is no ${http.req.method} ${http.req.path}.`, {
    hint: "See GET /api/v1/openapi.json for what there is.",
  });
