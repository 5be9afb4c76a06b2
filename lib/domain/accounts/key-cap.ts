import { PaymentsError } from "@turnpike/payments/protocol";
import { type Context, requireCaller } from "../context.ts";

/** Keys of one account that are active or of the last day: a bound on their number and on how fast they are made. */
export const MAX_KEYS = 500;
const DAY_MS = 86_400_000;

/** Throws `conflict` when the caller's account has as many API keys as it may have. */
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
