import { getAddress, type Hex, zeroAddress } from "viem";
import { signTypedData } from "viem/accounts";
import type {
  AccountPayment,
  AccountPaymentJournal,
  AccountPaymentOutcome,
  AccountPaymentRecord,
  AccountPayments,
} from "@/lib/domain/money/account-payments.ts";
import { tokenAbi } from "./abis.ts";
import {
  findOperation,
  type IncludedOperation,
  isOperationUnused,
} from "./bundler/find-operation.ts";
import { findOwnLogs } from "./bundler/handle-ops.ts";
import { readTakenNonces } from "./bundler/sent-nonces.ts";
import type { SignedTransaction } from "./bundler/transaction-sender.ts";
import { type UnsignedUserOperation, userOperationTypedData } from "./bundler/user-operation.ts";
import type { ChainClient } from "./chain-client.ts";
import { findOwnTransfers } from "./exact/find-transfer.ts";
import { GrantImpossible, type OwnerKeys } from "./grants/owner-keys.ts";
import { sendOwnerOperation } from "./grants/owner-operation.ts";
import {
  isDirect,
  nonceKeyOfPayment,
  operationOf,
  PAYMENT_CALL_GAS,
  paymentHash,
} from "./grants/payment-operation.ts";
import type { Operator } from "./operator.ts";
import type { CodeMemory } from "./prepare-accounts.ts";

/** What a payment counts for. Measured: 115,000, 139,000 in the chain's own coin, and as much as an order where it creates the account. */
export const PAYMENT_GAS = 300_000;

export type AccountPaymentsOptions = {
  operator: Operator;
  owners: OwnerKeys;
  journal: AccountPaymentJournal;
  known?: CodeMemory;
  onTrouble?: (cause: unknown, paymentId: string) => void;
};

/**
 * Pays out of smart accounts by a user operation that their owner signs; the service pays the gas. The operation's
 * nonce is derived from the payment's id, so the chain includes it once, and its hash is written before it is sent.
 *
 * @example const payments = createAccountPayments({ operator, owners, journal });
 */
export function createAccountPayments(options: AccountPaymentsOptions): AccountPayments {
  const { journal, operator } = options;
  return {
    async pay(payment, signature) {
      const { deployment } = operator;
      const row = await journal.open(payment, {
        operationHash: paymentHash(deployment, payment),
        sinceBlock: await operator.client.getBlockNumber(),
      });
      requireSame(row, payment);
      const operation = operationOf(deployment, row);
      try {
        return outcomeOf(row) ?? (await send(options, row, { operation, signature }));
      } catch (cause) {
        options.onTrouble?.(cause, payment.paymentId);
        return stillOpen(options, payment);
      }
    },
  };
}

/** Looks for the operation first; one that is in no block is simulated and sent. */
async function send(
  options: AccountPaymentsOptions,
  row: AccountPaymentRecord,
  own: { operation: UnsignedUserOperation; signature: string | null | undefined },
): Promise<AccountPaymentOutcome> {
  const { operator, owners, journal, known } = options;
  const landed = await findLanded(options, row);
  if (landed) return landed;
  let account: Awaited<ReturnType<OwnerKeys["smartAccount"]>>;
  let signature: Hex;
  const { operation: unsigned } = own;
  try {
    account = await owners.smartAccount(row.account);
    signature = own.signature
      ? (own.signature as Hex)
      : await signTypedData({
          ...userOperationTypedData(operator.deployment, unsigned, "HybridDeleGator"),
          privateKey: await owners.ownerKey(row.account),
        });
  } catch (cause) {
    if (!(cause instanceof GrantImpossible)) throw cause;
    return refuse(options, row, "owner_signature", cause.message);
  }
  const held = await balanceOf(operator.client, row);
  if (held < row.amount) {
    const message = `The account holds ${held}, and the payment is ${row.amount}, in the token's smallest unit.`;
    return refuse(options, row, "insufficient_funds", message);
  }
  const beforeSend = async ({ hash, nonce }: SignedTransaction) => {
    const sent = { sender: operator.sender.address, nonce, hash };
    if (await journal.noteSending(row.paymentId, sent)) return;
    throw new Error(`Payment ${row.paymentId} was closed or its account stopped meanwhile.`);
  };
  const objection = await sendOwnerOperation(operator, {
    account,
    unsigned,
    signature,
    callGas: PAYMENT_CALL_GAS,
    beforeSend,
    ...(known && { known }),
  });
  const found = await findLanded(options, row);
  if (found) return found;
  // Without an objection it was included, and this node does not show it yet.
  if (!objection || NOT_FINAL.has(objection.name)) return stillOpen(options, row);
  const message = `The chain refuses the transfer: ${objection.detail}`;
  return refuse(options, row, "not_possible", message);
}

/** Another attempt at the same payment came first. */
const NOT_FINAL = new Set(["AlreadyIncluded", "BundleReverted"]);

async function findLanded(
  { operator, journal }: AccountPaymentsOptions,
  row: AccountPaymentRecord,
): Promise<AccountPaymentOutcome | undefined> {
  const { client, deployment } = operator;
  const { paymentId, account, sinceBlock } = row;
  const found = await findOperation({
    client,
    deployment,
    sessionKey: getAddress(account),
    nonceKey: nonceKeyOfPayment(paymentId),
    sinceBlock: sinceBlock ?? 0n,
  });
  if (!found) return undefined;
  const failure = await findFailure(operator, row, found);
  if (!failure) {
    const paid = { status: "paid" as const, txHash: found.transaction };
    await journal.close(paymentId, paid);
    return paid;
  }
  // Its nonce is used, so nothing that was sent can pay any more.
  const [code, message] = failure;
  const refused = { status: "refused" as const, code, message };
  await journal.close(paymentId, refused, (await journal.find(paymentId))?.sent);
  return refused;
}

/**
 * Why what used a payment's nonce did not pay it; null when it did. Success alone is no payment: an account's owner may give
 * it code that leaves out the transfer. An event proves one (ADR 84).
 *
 * @throws when the node does not show what the operation wrote, and when that does not tell what arrived.
 */
async function findFailure(
  { client, deployment }: Operator,
  row: AccountPaymentRecord,
  found: IncludedOperation,
): Promise<[code: string, message: string] | null> {
  const { hash, transaction } = found;
  // An owner whose wallet holds the key can send any operation under this nonce. Earlier releases laid payments out otherwise.
  if (hash !== row.operationHash && hash !== paymentHash(deployment, row))
    return ["nonce_used", "The account used this payment's nonce for something else."];
  if (!found.success) return ["reverted", `The transfer reverted: ${found.reason.detail}`];
  if (hash === row.operationHash && isDirect(deployment, row)) return null;
  const receipt = await client.getTransactionReceipt({ hash: transaction });
  const logs = findOwnLogs(deployment, receipt.logs, hash);
  if (!logs) throw new Error(`The node shows ${transaction} without operation ${hash}.`);
  const amounts = findOwnTransfers(logs, row, deployment.entryPoint);
  if (amounts.includes(row.amount)) return null;
  const moved = amounts.reduce((sum, amount) => sum + amount, 0n);
  if (moved === 0n && row.token !== zeroAddress) return ["not_transferred", NOT_TRANSFERRED];
  // A token may keep a fee. The chain's own coin can move without an event.
  throw new Error(`Transaction ${transaction} shows that it moved ${moved} of ${row.amount}.`);
}

const NOT_TRANSFERRED =
  "The token shows no transfer to the recipient. The account's code or the token left it out.";

/** Refuses, unless a transaction that was sent before can still be included. */
async function refuse(
  options: AccountPaymentsOptions,
  { paymentId }: AccountPaymentRecord,
  code: string,
  message: string,
): Promise<AccountPaymentOutcome> {
  const { journal, operator } = options;
  const row = await journal.find(paymentId);
  if (!row) throw new Error(`Payment ${paymentId} is not in the journal.`);
  const { sent } = row;
  if (sent && !(await isLost(operator, row, sent)))
    return (await findLanded(options, row)) ?? stillOpen(options, row);
  const outcome = { status: "refused" as const, code, message };
  return (await journal.close(paymentId, outcome, sent)) ? outcome : stillOpen(options, row);
}

/**
 * Whether what was sent is in no block and can never be in one: its nonce is taken and the operation's is unused, both at one
 * block, because several nodes may answer.
 *
 * @throws when the node does not know the block.
 */
async function isLost(
  { client, deployment }: AccountPaymentsOptions["operator"],
  { account, paymentId }: AccountPaymentRecord,
  sent: NonNullable<AccountPaymentRecord["sent"]>,
): Promise<boolean> {
  const blockNumber = await client.getBlockNumber();
  const isTaken = await readTakenNonces(client, [sent], { blockNumber });
  if (!isTaken(sent)) return false;
  const nonceKey = nonceKeyOfPayment(paymentId);
  const sessionKey = getAddress(account);
  return isOperationUnused({ client, deployment, sessionKey, nonceKey, blockNumber });
}

async function stillOpen(
  { journal }: AccountPaymentsOptions,
  { paymentId }: Pick<AccountPayment, "paymentId">,
): Promise<AccountPaymentOutcome> {
  const now = await journal.find(paymentId);
  return (now && outcomeOf(now)) ?? { status: "open", txHash: now?.sent?.hash ?? null };
}

function outcomeOf(row: AccountPaymentRecord): AccountPaymentOutcome | undefined {
  if (row.state === "open") return undefined;
  if (row.state === "paid") return { status: "paid", txHash: row.txHash ?? "" };
  return { status: "refused", code: row.failureCode ?? "", message: row.failureMessage ?? "" };
}

function requireSame(row: AccountPaymentRecord, payment: AccountPayment): void {
  const isSame = (["account", "token", "to", "amount"] as const).every(
    (field) => String(row[field]).toLowerCase() === String(payment[field]).toLowerCase(),
  );
  if (!isSame) throw new Error(`Payment id ${payment.paymentId} names another payment.`);
}

/** What an account holds of a token, in its smallest unit. */
export function balanceOf(
  client: ChainClient,
  { account, token }: { account: string; token: string },
  blockNumber?: bigint,
): Promise<bigint> {
  const address = getAddress(account);
  return token === zeroAddress
    ? client.getBalance({ address, blockNumber })
    : client.readContract({
        address: getAddress(token),
        blockNumber,
        abi: tokenAbi,
        functionName: "balanceOf",
        args: [address],
      });
}
