import { type Address, encodeEventTopics, type Hex, padHex, toHex, zeroAddress } from "viem";
import type { ExactPayment } from "@/lib/domain/exact/exact-ports.ts";
import type { AccountPayment } from "@/lib/domain/money/account-payments.ts";
import { authorizationAbi, entryPointAbi, tokenAbi } from "../abis.ts";

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
  const moved = `${textBeforeAmount({ account: payer, token: address, to: payTo })}${toHex(value, { size: 32 }).slice(2)}`;
  return next !== undefined && textOf(next) === moved;
}

type Transfer = Pick<AccountPayment, "account" | "token" | "to">;

/** A transfer's event up to its amount. Of the chain's own coin, the one that EntryPoint writes. */
function textBeforeAmount({ account, token, to }: Transfer, entryPoint?: Address): string {
  const [from, receiver] = [account, to] as [Address, Address];
  if (entryPoint && token === zeroAddress) {
    const args = { account: from };
    const topics = encodeEventTopics({ abi: entryPointAbi, eventName: "Withdrawn", args });
    return textOf({ address: entryPoint, topics, data: padHex(receiver, { size: 32 }) });
  }
  const args = { from, to: receiver };
  const topics = encodeEventTopics({ abi: tokenAbi, eventName: "Transfer", args });
  return textOf({ address: token, topics, data: "0x" });
}

/**
 * The amounts that an operation's events show from the account to the recipient. One that follows the use of an authorization is
 * that authorization's.
 */
export function findOwnTransfers(
  logs: readonly Event[],
  transfer: Transfer,
  entryPoint: Address,
): bigint[] {
  const start = textBeforeAmount(transfer, entryPoint);
  return logs.flatMap((log, position) => {
    const text = textOf(log);
    const before = logs[position - 1];
    const isAuthorized = before?.address === log.address && before.topics[0] === AUTHORIZATION_USED;
    return text.startsWith(start) && !isAuthorized ? BigInt(`0x${text.slice(start.length)}`) : [];
  });
}
