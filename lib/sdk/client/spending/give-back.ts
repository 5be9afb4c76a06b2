import { rareCalls } from "../../protocol/operations/rare-calls.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { call, callOperation } from "../call.ts";
import type { Connection } from "../connection.ts";
import type { FetchToken } from "../fetch-tokens.ts";
import type { PaidResponse } from "../paid-response.ts";

const GIVE_BACK = { timeoutMs: 5000, maxRetries: 0 };

/** Ends a token, and takes its price back where it ordered nothing. While that is unknown, the price stays counted. */
export async function giveBackUnspent(
  connection: Connection,
  token: FetchToken,
): Promise<Pick<PaidResponse, "order">> {
  const { purchase, tokenId } = token;
  if (!purchase) return {};
  token.purchase = null;
  try {
    await call(connection, "revokeToken", { tokenId }, GIVE_BACK);
    const known = { name: "getToken", row: rareCalls.tokenLists.getToken };
    const seen = await callOperation(connection, known, { tokenId }, GIVE_BACK);
    const { orderSpent, orderReserved } = seen as OutputOf<"getToken">;
    if (orderSpent !== "0") return { order: "made" };
    if (orderReserved !== "0") return { order: "unknown" };
    await purchase.giveBack(purchase.cents);
    return {};
  } catch {
    // Unknown is never called unspent.
    return { order: "unknown" };
  }
}
