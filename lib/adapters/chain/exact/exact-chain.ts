import { type Address, getAddress, type Hex, size, toHex } from "viem";
import type {
  Captured,
  ExactChain,
  ExactFault,
  ExactPayer,
  ExactPayment,
  ToCapture,
} from "@/lib/domain/exact/exact-ports.ts";
import { authorizationAbi } from "../abis.ts";
import { balanceOf } from "../account-payments.ts";
import { findNewest } from "../block-ranges.ts";
import { simulateCall } from "../bundler/simulate-bundle.ts";
import type { ChainClient } from "../chain-client.ts";
import { readKeySignature } from "../grants/key-signature.ts";
import type { Operator } from "../operator.ts";
import { ORDER_GAS } from "../order-budget.ts";
import { requireSoundNode } from "../sound-node.ts";
import { captureAlone, createCaptureQueue } from "./capture-queue.ts";
import { hasTransfer } from "./find-transfer.ts";
import { createSignatureCheck, type Recover } from "./signature-check.ts";
import {
  ACCOUNT_GAS,
  gasOf,
  KEY_TRANSFER_GAS,
  type TransferCall,
  transferCalls,
} from "./transfer-calls.ts";

/** An authorization must live this long after verify, so that work and capture fit in. In seconds. */
const MARGIN_SECS = 6n;

/**
 * Checks and captures EIP-3009 authorizations. What the chain says about the nonce decides: an authorization that is used
 * was captured when its transfer is in the transaction that used it, no matter who sent that transaction.
 */
export function createExactChain(
  operator: Operator,
  options: {
    network: string;
    /** The contract that captures in batches; files of earlier releases name none. */
    captures: Address | undefined;
    asset: Address;
    /** The lowest price of an order, in cents; a transfer's follows from its gas. */
    floorCents: bigint;
    mostGas: number;
    recover: Recover;
    /** A clock that replicas share: one machine's may be wrong. */
    now: () => Promise<Date>;
  },
): Omit<ExactChain, keyof ExactPayer> {
  const { network, captures, asset, floorCents, mostGas, recover } = options;
  const { client } = operator;
  const floorOf = (gas: bigint) => (floorCents * 10_000n * gas) / BigInt(ORDER_GAS);
  const queue = captures && createCaptureQueue(operator, captures);
  const isSigned = createSignatureCheck(client, recover);
  const underWay = new Map<string, Promise<Captured>>();
  const now = share(options.now);
  const latestBlock = share(() =>
    client.getBlock({ blockTag: "latest", includeTransactions: false }),
  );

  /** What is wrong with a payment that cannot be captured. Other faults are named only where its payer signed it. */
  async function faultOf(payment: ExactPayment, known: ExactFault | undefined) {
    if (!(await isSigned(payment))) return "authorization_signature";
    if (known) return known;
    // It can have been captured since its state was read.
    return (await stateOf(client, payment)).isUsed ? "authorization_used" : "capture_failed";
  }

  return {
    network,
    takesPayments: queue !== undefined,
    asset: getAddress(asset),
    floor: floorOf(KEY_TRANSFER_GAS),
    mostGas,
    async check(payment) {
      const [{ isUsed, balance }, block, calls, at] = await Promise.all([
        stateOf(client, payment),
        latestBlock(),
        callsOf(client, payment, floorOf(ACCOUNT_GAS)),
        now(),
      ]);
      // An idle chain's newest block may be old, and the next one is as new as its transaction.
      const wall = BigInt(Math.floor(at.getTime() / 1000));
      const time = wall > block.timestamp ? wall : block.timestamp;
      const faults: [boolean, ExactFault][] = [
        [payment.value < floorOf(gasOf(calls)), "amount_too_small"],
        [isUsed, "authorization_used"],
        [time <= payment.validAfter, "authorization_early"],
        [time + MARGIN_SECS >= payment.validBefore, "authorization_expired"],
        [balance < payment.value, "insufficient_funds"],
      ];
      const known = faults.find(([is]) => is)?.[1];
      const isTaken = async () => {
        if (!captures) throw new Error(NO_CONTRACT);
        const logs = await simulateCapture(operator, captures, { calls, time: time + MARGIN_SECS });
        return hasTransfer({ logs }, payment);
      };
      const fault = !known && (await isTaken()) ? null : await faultOf(payment, known);
      const gas = gasOf(calls);
      const runsCode = gas > KEY_TRANSFER_GAS;
      return { fault, balance, block: block.number, gas: Number(gas), runsCode };
    },
    capture(payment) {
      const { id } = payment;
      // Each transaction costs the service gas, and those of others wait for it.
      const capturing = underWay.get(id) ?? captureOnce(payment).finally(() => underWay.delete(id));
      underWay.set(id, capturing);
      return capturing;
    },
  };

  async function captureOnce(payment: ToCapture): Promise<Captured> {
    const [calls, isUsed] = await Promise.all([
      callsOf(client, payment, floorOf(ACCOUNT_GAS)),
      readIsUsed(client, payment),
    ]);
    const receipt = isUsed ? undefined : await queue?.add(payment.builder, calls);
    if (receipt && hasTransfer(receipt, payment))
      return { status: "paid", reference: receipt.transactionHash };
    const included = receipt?.blockNumber ?? payment.sinceBlock;
    const found = await findOutcome(client, payment, { latestBlock, included });
    if (found?.status !== "paid") await requireSoundNode(operator);
    if (found) return found;
    if (!receipt) throw new Error(queue ? `The nodes disagree on ${payment.id}.` : NO_CONTRACT);
    return refuse("capture_failed");
  }
}

/**
 * The calls that capture a payment. A key's signature is in the form that the token reads; an account's code may mean another
 * thing by the same bytes, and gets an account's gas where the payment is worth it.
 */
async function callsOf(
  client: ChainClient,
  payment: ExactPayment,
  accountFloor: bigint,
): Promise<TransferCall[]> {
  const { payer, value, signature } = payment;
  if (size(signature as Hex) !== 65) return transferCalls(payment);
  if (await client.getCode({ address: payer as Address })) {
    return transferCalls(payment, value < accountFloor ? undefined : ACCOUNT_GAS);
  }
  return transferCalls({ ...payment, signature: readKeySignature(signature) ?? signature });
}

/** What the very transaction of a capture would write, at a time. */
async function simulateCapture(
  { client, sender }: Operator,
  captures: Address,
  { calls, time }: { calls: TransferCall[]; time: bigint },
) {
  const { gas, ...call } = captureAlone(captures, calls);
  const sent = { from: sender.address, ...call, gas: toHex(gas) };
  const { logs } = await simulateCall(client, sent, { blockOverrides: { time: toHex(time) } });
  return logs;
}

const NO_CONTRACT = "This deployment has no contract that captures payments.";

type Sought = Omit<ToCapture, "builder">;

type LatestBlock = () => Promise<{ number: bigint; timestamp: bigint }>;

/** Those who ask while an answer is under way get the same one. */
function share<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

export const readIsUsed = (
  client: ChainClient,
  { asset, payer, nonce }: Omit<ExactPayment, "id">,
  blockNumber?: bigint,
): Promise<boolean> =>
  client.readContract({
    address: asset as Address,
    blockNumber,
    abi: authorizationAbi,
    functionName: "authorizationState",
    args: [payer as Address, nonce as Hex],
  });

async function stateOf(client: ChainClient, payment: ExactPayment, blockNumber?: bigint) {
  const { asset, payer } = payment;
  const [isUsed, balance] = await Promise.all([
    readIsUsed(client, payment, blockNumber),
    balanceOf(client, { account: payer, token: asset }, blockNumber),
  ]);
  return { isUsed, balance };
}

/**
 * The transaction that moved the money; null where the authorization was used otherwise or canceled. Undefined while the node
 * shows neither: it may have the state of a block, and its events later.
 */
export async function findTransfer(
  client: ChainClient,
  payment: Sought,
): Promise<Hex | null | undefined> {
  const end = await findNewest(client, payment.sinceBlock, async (range) => {
    const ask = (eventName: "AuthorizationUsed" | "AuthorizationCanceled") =>
      client.getContractEvents({
        address: payment.asset as Address,
        abi: authorizationAbi,
        eventName,
        args: { authorizer: payment.payer as Address, nonce: payment.nonce as Hex },
        ...range,
      });
    const [[used], [canceled]] = await Promise.all([
      ask("AuthorizationUsed"),
      ask("AuthorizationCanceled"),
    ]);
    return used ?? canceled;
  });
  if (!end) return undefined;
  const receipt = await client.getTransactionReceipt({ hash: end.transactionHash });
  return hasTransfer(receipt, payment) ? end.transactionHash : null;
}

/**
 * The outcome as the chain has it in one block, from `included` on; null while the authorization is unused
 * and can still be captured.
 *
 * @throws Error when the node does not know that block or what used the authorization: then the outcome is unknown.
 */
async function findOutcome(
  client: ChainClient,
  payment: Sought,
  { latestBlock, included }: { latestBlock: LatestBlock; included: bigint },
): Promise<Captured | null> {
  const block = await latestBlock();
  if (block.number < included) throw new Error(`The node is behind block ${included}.`);
  const { isUsed, balance } = await stateOf(client, payment, block.number);
  if (isUsed) {
    const reference = await findTransfer(client, payment);
    if (reference === undefined) {
      throw new Error(`Authorization ${payment.id} is used, and the node does not show by what.`);
    }
    return reference ? { status: "paid", reference } : refuse("authorization_used");
  }
  if (block.timestamp >= payment.validBefore) return refuse("authorization_expired");
  return balance < payment.value ? refuse("insufficient_funds") : null;
}

const MESSAGES: Record<ExactFault, string> = {
  authorization_signature: "The authorization's signature is not its payer's. Nothing was charged.",
  authorization_early: "The authorization is not valid yet. Nothing was charged.",
  authorization_expired: "The authorization expired before it was captured. Nothing was charged.",
  authorization_used: "The authorization was used for another transfer, or canceled.",
  insufficient_funds: "The wallet no longer has the amount. Nothing was charged.",
  amount_too_small: "The amount is below the service's minimum. Nothing was charged.",
  capture_failed: "The token did not accept the authorization. Nothing was charged.",
};

const refuse = (code: ExactFault): Captured => ({
  status: "refused",
  code,
  message: MESSAGES[code],
});
