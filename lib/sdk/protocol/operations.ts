import type * as z from "zod/mini";
import { agents } from "./operations/agents.ts";
import { apiKeys } from "./operations/api-keys.ts";
import { delegation } from "./operations/delegations.ts";
import type { Operations } from "./operations/operation.ts";
import { holdings, orders } from "./operations/orders.ts";
import { paymentMethods } from "./operations/payment-methods.ts";
import { facilitator } from "./operations/permissions.ts";
import { plans } from "./operations/plans.ts";
import { requests } from "./operations/requests.ts";
import { tokens, x402 } from "./operations/tokens.ts";

/** Every operation of the protocol, by the specification's name for it (§4.1) in camelCase. */
export const operations = {
  ...plans,
  ...orders,
  ...holdings,
  ...agents,
  ...x402,
  ...tokens,
  ...facilitator,
  ...delegation,
  ...paymentMethods,
  ...apiKeys,
  ...requests,
};

export type ProtocolOperations = typeof operations;
export type OperationName = keyof ProtocolOperations;

/** What a caller gives: numbers, bigints or decimal strings for amounts. */
export type InputOf<K extends keyof Rows, Rows extends Operations = ProtocolOperations> = z.input<
  Rows[K]["input"]
>;
/** What a verb receives: parsed, amounts as `bigint`. */
export type ParsedInputOf<
  K extends keyof Rows,
  Rows extends Operations = ProtocolOperations,
> = z.output<Rows[K]["input"]>;
/** What an operation answers, parsed. */
export type OutputOf<K extends keyof Rows, Rows extends Operations = ProtocolOperations> = z.output<
  Rows[K]["output"]
>;
