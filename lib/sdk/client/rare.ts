import { rareCalls } from "../protocol/operations/rare-calls.ts";
import { Outcomes } from "../protocol/operations/rare-permissions.ts";
import type { LeasedInput } from "../protocol/permission.ts";
import { isApproved } from "./await-approval.ts";
import { type CallOptions, callOperation } from "./call.ts";
import type { Connection } from "./connection.ts";
import { streamEvents } from "./event-stream.ts";
import { giveBackUnspent } from "./spending/give-back.ts";

/** Settles what leases have paid for, in one request. */
function settleLeased(
  connection: Connection,
  items: LeasedInput[],
  options: CallOptions,
): Promise<Outcomes> {
  const row = { ...rareCalls.facilitator.settleBatch, output: Outcomes };
  const operation = { name: "settleBatch", row };
  const own = { ...options, isOwn: true };
  return callOperation(connection, operation, { items }, own) as Promise<Outcomes>;
}

/** What few callers use: the client loads this module at the first call. */
export const rare = { calls: rareCalls, streamEvents, giveBackUnspent, isApproved, settleLeased };
