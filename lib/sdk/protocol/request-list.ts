import * as z from "zod/mini";
import { Role, WhoActs } from "./activity.ts";
import { IncludeTest, PageQuery } from "./listing.ts";
import { Money } from "./money.ts";
import { ChainStatus, MoneyStatus } from "./permission.ts";
import { Address, AgentId, Decimal, Instant, PlanId } from "./primitives.ts";

/**
 * One request as the list shows it: the ledger's record of its money, and beside it what the gate saw. Both sides see
 * one record. Without a payer its token was never proven. `reason` is for the side that served it, `delegationId` for
 * the payer; a cause in the builder's setup is `builder_setup` to the payer.
 */
export const RequestRecord = z.object({
  agentRequestId: z.string(),
  /** When it was verified; when it was seen, if it never was. */
  at: z.string(),
  moneyStatus: MoneyStatus,
  planId: z.optional(z.string()),
  agentId: z.optional(z.string()),
  payer: z.optional(z.string()),
  scheme: z.optional(z.string()),
  /** Of a payment by `exact` to a seller who need not be known here: who captures it, and how much. */
  seller: z.optional(z.string()),
  paid: z.optional(Money),
  credits: Decimal,
  method: z.optional(z.string()),
  path: z.optional(z.string()),
  httpStatus: z.optional(z.number()),
  reason: z.optional(z.string()),
  tokenId: z.optional(z.string()),
  delegationId: z.optional(z.string()),
  /** Why it was refused, not charged or not settled: a code of the service's, or what the gate reported. */
  cause: z.optional(z.string()),
  /** Left out when nothing is wrong, or nothing is left to do. */
  whoActs: z.optional(WhoActs),
  verifyMs: z.optional(z.number()),
  workMs: z.optional(z.number()),
  settleMs: z.optional(z.number()),
  verifiedAt: z.optional(z.string()),
  settledAt: z.optional(z.string()),
  releasedAt: z.optional(z.string()),
  settlementId: z.optional(z.string()),
  transaction: z.string(),
  chainStatus: ChainStatus,
});
export type RequestRecord = z.output<typeof RequestRecord>;

const MoneyStatuses = z
  .pipe(
    z.pipe(
      z.union([
        z.string().check(z.maxLength(200)),
        z.array(z.string().check(z.maxLength(40))).check(z.maxLength(7)),
      ]),
      z.transform((given) => (typeof given === "string" ? given.split(",") : given)),
    ),
    z.array(MoneyStatus).check(z.minLength(1), z.maxLength(7)),
  )
  .register(z.globalRegistry, { wire: "text" });

/** Which requests to list; several money statuses are joined by commas. */
export const RequestQuery = z.extend(PageQuery, {
  role: z._default(Role, "builder"),
  planId: z.optional(PlanId),
  agentId: z.optional(AgentId),
  moneyStatus: z.optional(MoneyStatuses),
  /** A status, or its class: `402`, `4xx`. */
  httpStatus: z.optional(
    z
      .string()
      .check(z.regex(/^[1-5](xx|\d\d)$/, "Expected a status such as 402, or a class such as 4xx.")),
  ),
  payer: z.optional(Address),
  tokenId: z.optional(z.string().check(z.maxLength(64))),
  cause: z.optional(z.string().check(z.regex(/^[\w-]{1,64}$/, "Expected a code."))),
  since: z.optional(Instant),
  until: z.optional(Instant),
  /** As a builder, list also what test customers called. */
  includeTest: IncludeTest,
  /** Part of a request id. */
  search: z.optional(z.string().check(z.maxLength(128))),
});
export type RequestQuery = z.output<typeof RequestQuery>;
