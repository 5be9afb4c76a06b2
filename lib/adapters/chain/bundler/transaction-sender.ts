import {
  type Address,
  type Hex,
  keccak256,
  type LocalAccount,
  parseTransaction,
  type TransactionReceipt,
  type TransactionSerializedEIP1559,
} from "viem";
import type { ChainClient } from "../chain-client.ts";
import type { Authorization } from "../grants/session-key.ts";
import { pollUntil } from "../poll.ts";
import { findReceipt } from "./resolve-bundle.ts";

/** What to send. The caller decides the `gas` limit. */
export type TransactionRequest = {
  to: Address;
  data: Hex;
  gas: bigint;
  value?: bigint;
  authorizations?: Authorization[];
  /** Stops waiting for a receipt; a sent transaction stays sent. */
  signal?: AbortSignal;
  /** Earlier forms of it under one nonce, which it is sent under again, at a higher fee. */
  replaces?: readonly SignedTransaction[];
  /** Called after signing and before sending, again for each replacement. An error stops the sending. */
  beforeSend?: (signed: SignedTransaction) => Promise<void> | void;
};

export type SignedTransaction = { hash: Hex; raw: Hex; nonce: number };

/** The part of the journal that the sender writes. */
export type SendingJournal = { transaction: (raw: Hex) => void; refused: (hash: Hex) => void };

export type TransactionSender = {
  address: Address;
  /** Sends and waits for the receipt. A sender's transactions run one after another. */
  send: (request: TransactionRequest) => Promise<TransactionReceipt>;
};

/** The chain rejected a transaction, so it will never be included. */
export class TransactionRefused extends Error {
  override name = "TransactionRefused";
  /** The transaction that was refused; none where it was never sent, or others took its nonces. */
  readonly hash: Hex | undefined;
  constructor(message: string, { hash, ...options }: ErrorOptions & { hash?: Hex } = {}) {
    super(message, options);
    this.hash = hash;
  }
}

/** A transaction was signed and perhaps sent; whether it will be included is unknown. */
export class TransactionUnknown extends Error {
  override name = "TransactionUnknown";
  readonly hash: Hex;
  constructor(hash: Hex, options?: ErrorOptions) {
    super(`The outcome of transaction ${hash} is not known.`, options);
    this.hash = hash;
  }
}

const MAX_REPLACEMENTS = 8;
const MAX_NONCE_RETRIES = 5;
const REBROADCAST_MS = 1_000;

/** What a sender works with. Fees are in wei. */
type Sending = {
  client: ChainClient;
  settler: LocalAccount;
  journal: SendingJournal | undefined;
  maxFeePerGasCap: bigint;
  replaceAfterMs: number;
};

/**
 * Makes a sender for the key that pays gas. Each transaction is written to the journal before it is sent; when the
 * chain's fee rises above its own, it is replaced under the same nonce, up to `maxFeePerGasCap` (wei).
 */
export function createTransactionSender(options: {
  client: ChainClient;
  settler: LocalAccount;
  journal?: SendingJournal;
  maxFeePerGasCap?: bigint;
  /** How long to wait for a receipt before offering a higher fee. */
  replaceAfterMs?: number;
}): TransactionSender {
  const { client, settler, maxFeePerGasCap = 500n * 10n ** 9n, replaceAfterMs = 12_000 } = options;
  const sending = { client, settler, journal: options.journal, maxFeePerGasCap, replaceAfterMs };
  let last: Promise<unknown> = Promise.resolve();
  return {
    address: settler.address,
    send: (request) => {
      const next = last.then(() => sendOnce(sending, request));
      last = next.catch(() => {});
      return next;
    },
  };
}

async function sendOnce(
  sending: Sending,
  request: TransactionRequest,
): Promise<TransactionReceipt> {
  const { client, settler } = sending;
  const { replaces = [] } = request;
  const replaced = replaces.at(-1);
  for (let attempt = 0; attempt < MAX_NONCE_RETRIES; attempt += 1) {
    const [next, block] = await Promise.all([
      client.getTransactionCount({ address: settler.address, blockTag: "pending" }),
      client.getBlock({ blockTag: "latest", includeTransactions: false }),
    ]);
    const baseFee = block.baseFeePerGas ?? 0n;
    const at = { nonce: replaced?.nonce ?? next, baseFee, forms: [...replaces] };
    const receipt = await sendWithNonce(sending, request, at);
    if (receipt) return receipt;
  }
  throw new TransactionRefused(`Another sender keeps taking the nonces of ${settler.address}.`);
}

/** Raises the fee until the transaction is included. `undefined` when another transaction took the nonce. */
async function sendWithNonce(
  sending: Sending,
  request: TransactionRequest,
  { nonce, baseFee, forms }: { nonce: number; baseFee: bigint; forms: SignedTransaction[] },
): Promise<TransactionReceipt | undefined> {
  const { client, maxFeePerGasCap: cap } = sending;
  const [last] = forms.slice(-1).map(feesOf);
  let tip = last ? raised(last.tip) : 1_000_000n;
  let maxFee = smaller(larger(raised(last?.maxFee ?? 0n), 2n * baseFee + tip), cap);
  if (maxFee < baseFee) {
    throw new TransactionRefused(`The chain's fee of ${baseFee} wei is above the cap of ${cap}.`);
  }
  let isSent = forms.length > 0;
  for (let replacement = 0; replacement <= MAX_REPLACEMENTS; replacement += 1) {
    const signed = await signTransaction(sending, request, { nonce, maxFee, tip });
    await request.beforeSend?.(signed);
    sending.journal?.transaction(signed.raw);
    forms.push(signed);
    const outcome = await sendForm(sending, { signed, forms, isSent, signal: request.signal });
    if (outcome === "nonce-taken") return undefined;
    if (outcome !== "waiting" && outcome !== "outbid") return outcome;
    isSent ||= outcome === "waiting";
    const block = await client
      .getBlock({ blockTag: "latest", includeTransactions: false })
      .catch(() => undefined);
    tip = raised(tip);
    const wanted = larger(raised(maxFee), 2n * (block?.baseFeePerGas ?? 0n) + tip);
    if (wanted > cap) break;
    maxFee = wanted;
  }
  throw new TransactionUnknown(forms.at(-1)?.hash ?? "0x");
}

/** Sends one signed form, again and again, until it or an earlier form is included or it is time to replace it. */
async function sendForm(
  { client, journal, replaceAfterMs }: Sending,
  options: {
    signed: SignedTransaction;
    forms: SignedTransaction[];
    isSent: boolean;
    signal: AbortSignal | undefined;
  },
): Promise<TransactionReceipt | "nonce-taken" | "outbid" | "waiting"> {
  const { signed, forms, signal } = options;
  let { isSent } = options;
  const replaceAt = performance.now() + replaceAfterMs;
  const noteRefused = () => {
    for (const { hash } of forms) journal?.refused(hash);
  };
  do {
    const refusal = await broadcast(client, signed);
    if (refusal === "nonce-taken") {
      // A form that a node accepted may have taken it, and the node that has receipts may be behind.
      const timeoutMs = isSent ? Math.max(100, replaceAt - performance.now()) : 100;
      const receipt = await pollUntil(() => findAny(client, forms), { timeoutMs }).catch(
        (cause) => {
          throw new TransactionUnknown(signed.hash, { cause });
        },
      );
      if (receipt) return receipt;
      if (isSent) throw new TransactionUnknown(signed.hash);
      noteRefused();
      return "nonce-taken";
    }
    if (refusal instanceof TransactionRefused) {
      // Once a node has accepted any form, no refusal proves that it will never be included.
      if (isSent) throw new TransactionUnknown(signed.hash, { cause: refusal });
      noteRefused();
      throw refusal;
    }
    isSent ||= refusal !== "outbid";
    const timeoutMs = Math.min(REBROADCAST_MS, replaceAfterMs);
    const find = () => findAny(client, forms).catch(() => undefined);
    const receipt = await pollUntil(find, { timeoutMs });
    if (receipt) return receipt;
    if (signal?.aborted) throw new TransactionUnknown(signed.hash);
    // A node that restarted may have forgotten the transaction, so it is sent again.
  } while (performance.now() < replaceAt);
  return isSent ? "waiting" : "outbid";
}

async function signTransaction(
  { client, settler }: Sending,
  request: TransactionRequest,
  { nonce, maxFee, tip }: { nonce: number; maxFee: bigint; tip: bigint },
): Promise<SignedTransaction> {
  const { to, data, gas, value = 0n, authorizations: authorizationList = [] } = request;
  const common = {
    chainId: client.chain?.id ?? 0,
    nonce,
    to,
    data,
    gas,
    value,
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: smaller(tip, maxFee),
  };
  const raw =
    authorizationList.length > 0
      ? await settler.signTransaction({ ...common, type: "eip7702", authorizationList })
      : await settler.signTransaction({ ...common, type: "eip1559" });
  return { raw, hash: keccak256(raw), nonce };
}

/** How the chain rejected a transaction; a chain that does not answer has not rejected it. */
async function broadcast(
  client: ChainClient,
  signed: SignedTransaction,
): Promise<"nonce-taken" | "outbid" | TransactionRefused | undefined> {
  try {
    await client.sendRawTransaction({ serializedTransaction: signed.raw });
    return undefined;
  } catch (cause) {
    const message = String((cause as Error).message).toLowerCase();
    if (message.includes("nonce too low")) return "nonce-taken";
    // Another transaction waits under this nonce, and pays too much to be replaced by this one.
    if (message.includes("underpriced")) return "outbid";
    const isFinal = /insufficient funds|intrinsic gas|exceeds block gas limit|gas limit too high/;
    if (!isFinal.test(message)) return undefined;
    const reason = message.split("\n")[0];
    return new TransactionRefused(`The chain refused transaction ${signed.hash}: ${reason}`, {
      cause,
      hash: signed.hash,
    });
  }
}

/** The receipt of any form; `undefined` when none is in a block. Throws when the chain does not answer. */
async function findAny(
  client: ChainClient,
  forms: readonly SignedTransaction[],
): Promise<TransactionReceipt | undefined> {
  const found = await Promise.all(forms.map(({ hash }) => findReceipt(client, hash)));
  return found.find((receipt) => receipt !== undefined);
}

/** What a signed form pays at most. */
export function feesOf({ raw }: SignedTransaction): { maxFee: bigint; tip: bigint } {
  const signed = parseTransaction(raw as TransactionSerializedEIP1559);
  return { maxFee: signed.maxFeePerGas ?? 0n, tip: signed.maxPriorityFeePerGas ?? 0n };
}

/** Nodes take a replacement that pays at least a tenth more. */
const raised = (fee: bigint) => (fee * 9n) / 8n + 1n;
const larger = (a: bigint, b: bigint) => (a > b ? a : b);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);
