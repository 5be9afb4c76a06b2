import type { AlertKind } from "@turnpike/payments/protocol";
import { ALERT_KINDS, type AlertObject } from "@/lib/console/alert-kinds.ts";
import { type Context, invalid, requireCaller } from "../context.ts";

type Find = (context: Context, id: string, account: string) => Promise<boolean> | boolean;
/** What a rule can be about, what is said without it, and whether there is one with an ID. */
type Subject = { none: string; has: Find };

const SUBJECTS: Record<AlertObject, Subject> = {
  plan: {
    none: "No plan exists",
    has: async ({ ports }, id) => (await ports.plans.find(id)) !== null,
  },
  agent: {
    none: "You have no agent",
    has: async ({ ports }, id, account) => (await ports.agents.find(id))?.owner === account,
  },
  delegation: {
    none: "You have no delegation",
    has: async ({ ports }, id, account) => (await ports.delegations.find(id))?.account === account,
  },
  // The processor has the cards: an ID can be checked when one expires.
  card: { none: "You have no card", has: () => true },
  token: {
    none: "You have no token",
    has: async ({ ports }, id, account) => (await ports.tokens.find(id))?.account === account,
  },
  key: {
    none: "You have no API key",
    has: async ({ ports }, id, account) => (await ports.apiKeys.findOwn(account, id)) !== null,
  },
  endpoint: {
    none: "You have no webhook endpoint",
    has: async ({ ports }, id, account) => (await ports.webhooks.find(account, id)) !== null,
  },
  part: { none: "No part exists", has: (_, id) => ["chain", "cards", "sales"].includes(id) },
};

/** Refuses a rule for an ID that nothing has: it would never open an alert. */
export async function requireObject(context: Context, kind: AlertKind, id: string): Promise<void> {
  const { about } = ALERT_KINDS[kind];
  if (!about) throw invalid("object", `A rule of the kind “${kind}” can’t have an ID.`);
  const { none, has } = SUBJECTS[about];
  if (await has(context, id, requireCaller(context).account)) return;
  throw invalid("object", `${none} with the ID “${id}”.`);
}
