import type { AlertKind } from "@turnpike/payments/protocol";
import { type Context, invalid, requireCaller } from "../context.ts";

type Find = (context: Context, id: string, account: string) => Promise<boolean> | boolean;
/** What a rule can be about, and whether there is one with an ID. */
type Subject = { name: string; has: Find };

const PLAN: Subject = {
  name: "plan",
  has: async ({ ports }, id) => (await ports.plans.find(id)) !== null,
};
const AGENT: Subject = {
  name: "agent of yours",
  has: async ({ ports }, id, account) => (await ports.agents.find(id))?.owner === account,
};

const SUBJECTS: Record<AlertKind, Subject> = {
  "credits-below": PLAN,
  "credits-days": PLAN,
  "delegation-used": {
    name: "delegation of yours",
    has: async ({ ports }, id, account) => (await ports.delegations.find(id))?.account === account,
  },
  // The processor has the cards: an ID can be checked when one expires.
  "card-expiring": { name: "card", has: () => true },
  "token-expiring": {
    name: "token of yours",
    has: async ({ ports }, id, account) => (await ports.tokens.find(id))?.account === account,
  },
  "key-expiring": {
    name: "API key of yours",
    has: async ({ ports }, id, account) => (await ports.apiKeys.findOwn(account, id)) !== null,
  },
  unsettled: AGENT,
  "declined-rate": AGENT,
  "error-rate": AGENT,
  "doctor-failing": AGENT,
  "service-degraded": { name: "part", has: (_, id) => ["chain", "cards", "sales"].includes(id) },
  "payout-failed": { name: "payout", has: () => false },
  "email-failing": { name: "address", has: () => false },
};

/** Refuses a rule for an ID that nothing has: it would never open an alert. */
export async function requireObject(context: Context, kind: AlertKind, id: string): Promise<void> {
  const { name, has } = SUBJECTS[kind];
  if (await has(context, id, requireCaller(context).account)) return;
  throw invalid("object", `There is no ${name} with the ID “${id}”.`);
}
