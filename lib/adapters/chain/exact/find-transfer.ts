import { type Address, encodeAbiParameters, encodeEventTopics, type Hex } from "viem";
import type { ExactPayment } from "@/lib/domain/exact/exact-ports.ts";
import type { AccountPayment } from "@/lib/domain/money/account-payments.ts";
import { authorizationAbi, tokenAbi } from "../abis.ts";

type Event = { address: string; topics: readonly unknown[]; data: Hex };
/** The events of one transaction, made or simulated. */
type Events = { logs: readonly Event[] };

const textOf = ({ address, topics, data }: Event): string =>
  `${address} ${topics.join(" ")} ${data}`.toLowerCase();

const [AUTHORIZATION_USED] = encodeEventTopics({
  abi: authorizationAbi,
  eventName: "AuthorizationUsed",
});

/** Where each event is in its receipt: a batch's receipt is searched for each of its captures. */
const indexes = new WeakMap<Events, Map<string, number>>();

function indexOf(receipt: Events): Map<string, number> {
  const index =
    indexes.get(receipt) ?? new Map(receipt.logs.map((log, position) => [textOf(log), position]));
  indexes.set(receipt, index);
  return index;
}

/**
 * Whether a transaction made the payment's transfer: the one that the token writes right after the use of its authorization.
 * Another transfer of the same amount belongs to another authorization: a payer may sign two with one nonce.
 */
export function hasTransfer(receipt: Events, payment: ExactPayment): boolean {
  const { asset: address, payer, payTo, value, nonce } = payment;
  const used = encodeEventTopics({
    abi: authorizationAbi,
    eventName: "AuthorizationUsed",
    args: { authorizer: payer as Address, nonce: nonce as Hex },
  });
  const position = indexOf(receipt).get(textOf({ address, topics: used, data: "0x" }));
  const next = position === undefined ? undefined : receipt.logs[position + 1];
  const moved = transferText({ account: payer, token: address, to: payTo, amount: value });
  return next !== undefined && textOf(next) === moved;
}

type Transfer = Pick<AccountPayment, "account" | "token" | "to" | "amount">;

function transferText({ account, token: address, to, amount }: Transfer): string {
  const args = { from: account as Address, to: to as Address };
  const topics = encodeEventTopics({ abi: tokenAbi, eventName: "Transfer", args });
  return textOf({ address, topics, data: encodeAbiParameters([{ type: "uint256" }], [amount]) });
}

/** Whether an operation's events have this transfer. One that follows the use of an authorization is that authorization's. */
export function hasOwnTransfer(logs: readonly Event[], transfer: Transfer): boolean {
  const moved = transferText(transfer);
  return logs.some((log, position) => {
    if (textOf(log) !== moved) return false;
    const before = logs[position - 1];
    return before?.address !== log.address || before.topics[0] !== AUTHORIZATION_USED;
  });
}
