import type { ParsedInputOf } from "@turnpike/payments/protocol";
import { type Context, notFound, requireCaller } from "../context.ts";

/** Gives back the credits on hold for a request that was not delivered. A repeat gives back nothing more. */
export async function releasePermissions(
  context: Context,
  { agentRequestId }: ParsedInputOf<"releasePermissions">,
) {
  const { account } = requireCaller(context);
  const released = await context.ports.ledger.release(account, agentRequestId);
  if (released === null) throw notFound("held request", agentRequestId);
  return { success: true, released: released.toString() } as const;
}
