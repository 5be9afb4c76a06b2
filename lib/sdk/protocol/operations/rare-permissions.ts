import * as z from "zod/mini";
import { keccak256 } from "../encoding/keccak.ts";
import { canonicalJson } from "../json.ts";
import { SettledInput, Settlement, Verification, VerifyInput } from "../permission.ts";
import { Count, IdempotencyKey, mapOf } from "../primitives.ts";
import { defineCalls, serveCalls } from "./operation.ts";
import { samplePermission } from "./permissions.ts";
import { RequestRecord } from "./requests.ts";
import { Nothing, RequestRef } from "./shared.ts";

/** The most requests of one batch. */
const MAX_BATCH = 500;
const MAX_LEASED = 10_000;

const BatchInput = z.object({
  /** Names the requests of the items that don't: each follows from the key, the whole batch and the item's place. */
  idempotencyKey: z.optional(IdempotencyKey),
  items: z.array(SettledInput).check(z.minLength(1), z.maxLength(MAX_BATCH)),
});

/** What a gate reads of the settlements of a batch: read whole, they would take a tenth of what a leased call allocates. */
export const Outcomes = z.object({
  items: z.array(z.object({ success: z.boolean(), errorReason: z.optional(z.string()) })),
});
export type Outcomes = z.output<typeof Outcomes>;

/** A fixed list: a default that a later release adds to an item would rename batches that are repeated after an upgrade. */
const NAMING = new Set([
  ...["leaseId", "agentRequestId", "idempotencyKey", "x402AccessToken", "paymentRequired"],
  ...["maxAmount", "proof", "paymentPayload", "paymentRequirements"],
]);

/**
 * A batch whose items have their own keys, which replicas of an earlier release read as well. The keys follow from the whole batch
 * as the service reads it, which names those that come without: other items under the same key are other requests.
 */
const nameItems = <Batch extends z.input<typeof BatchInput>>(batch: Batch): Batch => {
  // A gate's batch has no key, so it is not parsed here.
  const { data } = typeof batch?.idempotencyKey === "string" ? BatchInput.safeParse(batch) : {};
  // The digest of five hundred items takes a third of a second: what the client has named is left as it is.
  if (data?.idempotencyKey === undefined || data.items.every(isNamed)) return batch;
  const known = data.items.map((item) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => NAMING.has(name))),
  );
  const digest = keccak256(canonicalJson([data.idempotencyKey, known])).reduce(
    (hex, byte) => hex + byte.toString(16).padStart(2, "0"),
    "",
  );
  const named = batch.items.map((item, index) =>
    isNamed(item) ? item : { ...item, idempotencyKey: `batch-${digest}-${index}` },
  );
  return { ...batch, items: named };
};

const isNamed = (item: z.input<typeof SettledInput>): boolean =>
  item.leaseId !== undefined || item.idempotencyKey !== undefined;

/** The operations of permissions that no single call of a gate needs. */
export const rarePermissions = /* @__PURE__ */ defineCalls({
  /**
   * Reserves the credits of up to `requests` requests like this one, which the caller may serve within `seconds` without
   * asking again, and settles by `settleBatch`. It may grant fewer, or none. Release `leaseId` to return the rest.
   *
   * @example await payments.facilitator.leasePermissions({ paymentRequired, x402AccessToken, requests: 500, seconds: 5 })
   */
  leasePermissions: {
    route: "POST /x402/lease",
    input: z.extend(
      z.omit(VerifyInput, {
        reserve: true,
        agentRequestId: true,
        attemptId: true,
        requestDigest: true,
        idempotencyKey: true,
      }),
      {
        requests: z.pipe(Count, z.number().check(z.minimum(1), z.maximum(MAX_LEASED))),
        seconds: Count,
      },
    ),
    output: z.object({
      requests: Count,
      seconds: Count,
      /** Names the lease; absent without one. */
      leaseId: z.optional(z.string()),
      /** Verify's answer for each of its requests. */
      verification: z.optional(Verification),
    }),
  },
  /**
   * Settles up to 500 requests, each as `settlePermissions` would and once per `agentRequestId`; or, with a `leaseId`,
   * from that lease. The answers are in the order of the items; a failure of one concerns no other.
   *
   * @example const { items } = await payments.facilitator.settleBatch({ items: [{ leaseId, agentRequestId }] })
   */
  settleBatch: {
    route: "POST /x402/settle/batch",
    timeoutMs: 60_000,
    // Without a key, an item that names no request would be settled again.
    repeatKey: "idempotencyKey",
    args: nameItems,
    input: BatchInput,
    output: z.object({ items: z.array(Settlement) }),
  },
  /** Gets a request's payment status, receipt and chain status. */
  getSettlement: {
    route: "GET /x402/settlements/:agentRequestId",
    args: (agentRequestId: string) => ({ agentRequestId }),
    input: RequestRef,
    output: RequestRecord,
  },
  /** Lists the schemes and networks the service settles. */
  supported: {
    route: "GET /x402/supported",
    input: Nothing,
    output: z.object({
      kinds: z.array(
        z.object({ x402Version: z.literal(2), scheme: z.string(), network: z.string() }),
      ),
      extensions: z.array(z.string()),
      signers: mapOf(z.array(z.string())),
    }),
  },
});

export const rarePermissionOperations = /* @__PURE__ */ serveCalls(
  { name: "facilitator", section: "Verify and settle", scope: "calls" },
  rarePermissions,
  {
    leasePermissions: {
      summary:
        "Reserve the credits of several requests, for a gate to decide alone for some seconds",
      tenancy: "own rows",
      callerReadBy: "verb",
      lane: "verify",
      maxMembers: 4_096,
      sample: (examples) => {
        const { agentRequestId: _, ...question } = samplePermission(examples);
        return { ...question, requests: 10, seconds: 5 };
      },
    },
    settleBatch: {
      summary: "Settle many requests at once, each once per request ID",
      tenancy: "own rows",
      callerReadBy: "verb",
      lane: "settle",
      maxInput: 1024 * 1024,
      maxMembers: 64 * 1024,
      sample: (examples) => ({ items: [samplePermission(examples)] }),
    },
    getSettlement: {
      summary: "Get a request's payment status, receipt and chain status",
      sample: ({ spare }) => ({ agentRequestId: spare.settledId }),
    },
    supported: {
      access: "public",
      summary: "List the schemes and networks this facilitator settles",
    },
  },
);
