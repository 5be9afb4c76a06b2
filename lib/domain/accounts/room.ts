import { PaymentsError } from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "../context.ts";
import type { Counted } from "../ports.ts";

/** What one account may have, far above honest use: agents and plans in all, delegations and tokens made in the last 24 hours. */
const MOST: Record<Counted, number> = {
  agents: 10_000,
  plans: 10_000,
  delegations: 100_000,
  tokens: 100_000,
};
/** Keys of one account that are active or of the last day: a bound on their number and on how fast they are made. */
export const MAX_KEYS = 500;
const DAY_MS = 86_400_000;

const HINTS = {
  agents: "Delete agents that were never called, or give one agent more endpoints.",
  plans: "Delete plans that were never ordered, or change one of them.",
  delegations: "Reuse a delegation by its `delegationId`, or create it tomorrow.",
  tokens: "Reuse an access token until it expires, or mint it tomorrow.",
};
const WORDS = {
  agents: "agents, archived ones included",
  plans: "plans, archived ones included",
  delegations: "delegations that were created in the last 24 hours",
  tokens: "access tokens that were minted in the last 24 hours",
};

/** Throws `conflict` when the caller's account has as many of them as it may have. Some at once may pass it together. */
export async function requireRoom(context: Context, kind: Counted): Promise<void> {
  const most = MOST[kind];
  const { account } = requireCaller(context);
  if (await context.ports.accounts.hasRoom(account, kind, most)) return;
  const count = most.toLocaleString("en-US");
  const message = `This account has ${count} ${WORDS[kind]}. It can have no more.`;
  throw new PaymentsError("conflict", message, { hint: HINTS[kind] });
}

/** The same for its API keys. */
export async function requireRoomForKey(context: Context, now: Date): Promise<void> {
  const since = new Date(now.getTime() - DAY_MS);
  const count = await context.ports.apiKeys.count(requireCaller(context).account, since);
  if (count < MAX_KEYS) return;
  throw new PaymentsError(
    "conflict",
    `This account has ${MAX_KEYS} API keys that are active or were created in the last 24 hours.`,
    { hint: "Revoke keys that you no longer use, or create the key tomorrow." },
  );
}
