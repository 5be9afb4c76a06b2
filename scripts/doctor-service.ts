import { type Agent, MAX_PAGE_SIZE, operations, PaymentsError } from "@turnpike/payments/protocol";
import type { CallService, Payer } from "../lib/probe/doctor/payer.ts";
import type { Registered } from "../lib/probe/read-known.ts";
import { sandbox } from "../lib/sandbox/operations.ts";
import { callOperation } from "../lib/sdk/client/call.ts";
import { type Connection, createConnection } from "../lib/sdk/client/connection.ts";
import { createSoldAt } from "../lib/sdk/client/paying/known-sellers.ts";
import { createSpending } from "../lib/sdk/client/spending/spending.ts";
import { createTtlCache } from "../lib/sdk/client/ttl-cache.ts";

/** The service over its API, with a key or without, for a doctor in another process. */
export async function openService({
  baseUrl,
  apiKey,
}: {
  baseUrl: string;
  apiKey: string | undefined;
}): Promise<{
  call: CallService;
  registered: Registered;
  payer: Payer | null;
  whyElsewhere: ReturnType<typeof createSoldAt>;
}> {
  const connection = apiKey ? createConnection({ apiKey, baseUrl }) : openPublic(baseUrl);
  const rows = { ...operations, ...sandbox };
  const call: CallService = (name, input) =>
    callOperation(connection, { name, row: rows[name] }, input) as never;
  const { kinds } = await call("supported", {});
  const registered: Registered = {
    plans: {
      async find(planId) {
        const plan = await call("getPlan", { planId }).catch(orNull);
        if (!plan) return null;
        const { registry, metadata, archivedAt } = plan;
        return { price: registry.price, metadata: metadata.main, archivedAt };
      },
    },
    agents: {
      async find(agentId, offered) {
        const agent = await call("getAgent", { agentId }).catch(orNull);
        if (!agent) return null;
        const hidden = offered.filter((planId) => !agent.plans.includes(planId));
        const accepts = await Promise.all(hidden.map((planId) => isLinked(call, agent, planId)));
        return { planIds: [...agent.plans, ...hidden.filter((_, at) => accepts[at])] };
      },
    },
    networks: Object.fromEntries(kinds.map(({ scheme, network }) => [scheme, network])),
    schemeAliases: connection.schemeAliases,
  };
  const payer = apiKey
    ? {
        account: connection.accountAddress,
        isSandbox: connection.environment === "sandbox",
        call,
      }
    : null;
  return { call, registered, payer, whyElsewhere: createSoldAt(connection) };
}

/** Whether an agent accepts a plan that only its owner sees among its plans: anyone who knows a plan's id can read its agents. */
async function isLinked(call: CallService, { agentId, archivedAt, owner }: Agent, planId: string) {
  // An archived agent still accepts its plans, but they don't list it: it may accept any of its owner.
  if (archivedAt) return (await call("getPlan", { planId }).catch(orNull))?.owner === owner;
  let cursor: string | undefined;
  do {
    const page = await call("getPlanAgents", { planId, limit: MAX_PAGE_SIZE, cursor }).catch(
      orNull,
    );
    if (page?.items.some((agent) => agent.agentId === agentId)) return true;
    cursor = page?.nextCursor;
  } while (cursor);
  return false;
}

/** A connection without a key, for public reads. */
function openPublic(baseUrl: string): Connection {
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    environment: "sandbox",
    accountAddress: "",
    timeoutMs: undefined,
    maxRetries: 1,
    schemeAliases: ["nvm"],
    spending: createSpending(""),
    plans: createTtlCache(60_000, 100),
    send: (url, init) => fetch(url, init),
    open: (url, headers, signal) => fetch(url, { headers, signal }),
  };
}

function orNull(cause: unknown): null {
  if (PaymentsError.is(cause) && cause.code === "not_found") return null;
  throw cause;
}
