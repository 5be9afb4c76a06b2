import type { Address, Hex, LocalAccount, TransactionReceipt } from "viem";
import { keccak256 } from "viem";
import type { ChainClient } from "../chain-client.ts";
import type { Authorization } from "../grants/session-key.ts";
import { pollUntil } from "../poll.ts";

/** What to send; `gas` is a limit, decided by the caller. */
export type TransactionRequest = {
  to: Address;
  data: Hex;
  gas: bigint;
  value?: bigint;
  authorizations?: Authorization[];
  /** Ends the waiting for a receipt; what was sent stays sent. */
  signal?: AbortSignal;
  /** Runs after signing and before sending, once more for each replacement. What it throws stops the sending. */
  beforeSend?: (signed: SignedTransaction) => Promise<void> | void;
};

export type SignedTransaction = { hash: Hex; raw: Hex; nonce: number };

/** The journal's part that the sender writes to. */
export type SendingJournal = { transaction: (raw: Hex) => void; refused: (hash: Hex) => void };

export type TransactionSender = {
  address: Address;
  /** Sends and waits for the receipt. Transactions of one sender go one after another. */
  send: (request: TransactionRequest) => Promise<TransactionReceipt>;
};

/** The chain refused a transaction, so it will never be included. */
export class TransactionRefused extends Error {
  override name = "TransactionRefused";
}

/** A transaction was signed and perhaps sent, and nobody knows yet whether it will be included. */
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

/**
 * Makes a sender of transactions for the key that pays gas. Each transaction is written to the journal before it goes
 * out; when the chain's fee rises above what it offers, it is replaced under the same nonce, never past
 * `maxFeePerGasCap` (wei).
 */
export function createTransactionSender(options: {
  client: ChainClient;
  settler: LocalAccount;
  journal?: SendingJournal;
  maxFeePerGasCap?: bigint;
  /** How long to wait for a receipt before offering more. */
  replaceAfterMs?: number;
}): TransactionSender {
  const {
    client,
    settler,
    journal,
    maxFeePerGasCap = 500n * 10n ** 9n,
    replaceAfterMs = 12_000,
  } = options;
  let last: Promise<unknown> = Promise.resolve();

  async function sendOnce(request: TransactionRequest): Promise<TransactionReceipt> {
    for (let attempt = 0; attempt < MAX_NONCE_RETRIES; attempt += 1) {
      const [nonce, block] = await Promise.all([
        client.getTransactionCount({ address: settler.address, blockTag: "pending" }),
        client.getBlock({ blockTag: "latest", includeTransactions: false }),
      ]);
      const receipt = await sendWithNonce(request, nonce, block.baseFeePerGas ?? 0n);
      if (receipt) return receipt;
    }
    throw new TransactionRefused(`Another sender keeps taking the nonces of ${settler.address}.`);
  }

  /** Resolves to `undefined` when another transaction took the nonce. */
  async function sendWithNonce(
    request: TransactionRequest,
    nonce: number,
    baseFee: bigint,
  ): Promise<TransactionReceipt | undefined> {
    let tip = 1_000_000n;
    let maxFee = capFee(2n * baseFee + tip);
    if (maxFee < baseFee) {
      throw new TransactionRefused(
        `The chain's fee of ${baseFee} wei is above the cap of ${maxFeePerGasCap}.`,
      );
    }
    const hashes: Hex[] = [];
    let isOut = false;
    for (let replacement = 0; replacement <= MAX_REPLACEMENTS; replacement += 1) {
      const signed = await signTransaction(request, { nonce, maxFee, tip });
      await request.beforeSend?.(signed);
      journal?.transaction(signed.raw);
      hashes.push(signed.hash);
      const giveUpAt = Date.now() + replaceAfterMs;
      do {
        const refusal = await broadcast(signed);
        if (refusal && refusal !== "nonce-taken") {
          // Once a node has taken it, or an earlier form of it, no refusal says that it will never be included.
          if (isOut) throw new TransactionUnknown(signed.hash, { cause: refusal });
          journal?.refused(signed.hash);
          throw refusal;
        }
        isOut ||= refusal === undefined;
        if (refusal === "nonce-taken") {
          // Perhaps by an earlier form of this very transaction.
          const receipt = await pollUntil(() => findReceipt(hashes), { timeoutMs: 100 });
          if (receipt) return receipt;
          journal?.refused(signed.hash);
          return undefined;
        }
        const receipt = await pollUntil(() => findReceipt(hashes), {
          timeoutMs: Math.min(REBROADCAST_MS, replaceAfterMs),
        });
        if (receipt) return receipt;
        if (request.signal?.aborted) throw new TransactionUnknown(signed.hash);
        // A node that came back may have forgotten it, so it is told again.
      } while (Date.now() < giveUpAt);
      const block = await client
        .getBlock({ blockTag: "latest", includeTransactions: false })
        .catch(() => undefined);
      tip = (tip * 9n) / 8n + 1n;
      const wanted = [(maxFee * 9n) / 8n + 1n, 2n * (block?.baseFeePerGas ?? 0n) + tip].reduce(
        larger,
      );
      if (wanted > maxFeePerGasCap) break;
      maxFee = wanted;
    }
    throw new TransactionUnknown(hashes.at(-1) ?? "0x");
  }

  async function signTransaction(
    request: TransactionRequest,
    { nonce, maxFee, tip }: { nonce: number; maxFee: bigint; tip: bigint },
  ): Promise<SignedTransaction> {
    const common = {
      chainId: client.chain?.id ?? 0,
      nonce,
      to: request.to,
      data: request.data,
      gas: request.gas,
      value: request.value ?? 0n,
      maxFeePerGas: maxFee,
      maxPriorityFeePerGas: tip < maxFee ? tip : maxFee,
    };
    const raw =
      request.authorizations && request.authorizations.length > 0
        ? await settler.signTransaction({
            ...common,
            type: "eip7702",
            authorizationList: request.authorizations,
          })
        : await settler.signTransaction({ ...common, type: "eip1559" });
    return { raw, hash: keccak256(raw), nonce };
  }

  /** Says how the chain refused it; silence of the chain is not a refusal. */
  async function broadcast(
    signed: SignedTransaction,
  ): Promise<"nonce-taken" | TransactionRefused | undefined> {
    try {
      await client.sendRawTransaction({ serializedTransaction: signed.raw });
    } catch (cause) {
      const message = String((cause as Error).message).toLowerCase();
      if (message.includes("nonce too low")) return "nonce-taken";
      if (
        /insufficient funds|intrinsic gas|exceeds block gas limit|gas limit too high/.test(message)
      ) {
        const reason = message.split("\n")[0];
        return new TransactionRefused(`The chain refused transaction ${signed.hash}: ${reason}`, {
          cause,
        });
      }
    }
    return undefined;
  }

  async function findReceipt(hashes: Hex[]): Promise<TransactionReceipt | undefined> {
    const found = await Promise.all(hashes.map((hash) => findTransactionReceipt(client, hash)));
    return found.find((receipt) => receipt !== undefined);
  }

  function capFee(fee: bigint): bigint {
    return fee < maxFeePerGasCap ? fee : maxFeePerGasCap;
  }

  return {
    address: settler.address,
    send: (request) => {
      const mine = last.then(() => sendOnce(request));
      last = mine.catch(() => {});
      return mine;
    },
  };
}

/** The receipt, or `undefined` when the transaction is in no block or the chain is silent. */
async function findTransactionReceipt(
  client: ChainClient,
  hash: Hex,
): Promise<TransactionReceipt | undefined> {
  return client.getTransactionReceipt({ hash }).catch(() => undefined);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
