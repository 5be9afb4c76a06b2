import { rareCalls } from "../../protocol/operations/rare-calls.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { call, callOperation } from "../call.ts";
import type { Connection } from "../connection.ts";
import type { FetchToken } from "../fetch-tokens.ts";
import type { PaidResponse } from "../paid-response.ts";

const GIVE_BACK = { timeoutMs: 5000, maxRetries: 0 };

/**
 * Ends a token, and takes its price back where it ordered nothing. While that is unknown, the price stays counted, and it may be
 * asked again. One with open calls is not revoked if it ordered, because they may have used that, nor as long as a delivered answer is owed. Throws where the
 * service gave no answer: then it may be tried again.
 */
export async function giveBackUnspent(
  connection: Connection,
  token: FetchToken,
): Promise<Pick<PaidResponse, "order">> {
  const { purchase, tokenId, open } = token;
  if (!purchase) return {};
  const known = { name: "getToken", row: rareCalls.tokens.getToken };
  const readOrder = async () =>
    orderOf((await callOperation(connection, known, { tokenId }, GIVE_BACK)) as Token);
  let order = open && (await readOrder());
  if (open === "owed") order ??= "unknown";
  if (!order) {
    await call(connection, "revokeToken", { tokenId }, GIVE_BACK);
    order = await readOrder();
  }
  if (order === "unknown") return { order };
  token.purchase = null;
  if (order) return { order };
  await purchase.giveBack(purchase.cents);
  return {};
}

type Token = OutputOf<"getToken">;

const orderOf = ({ orderSpent, orderReserved }: Token): PaidResponse["order"] => {
  if (orderSpent !== "0") return "made";
  return orderReserved === "0" ? undefined : "unknown";
};
