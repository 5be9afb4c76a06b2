import { type Address, getAddress, type Hex, isAddressEqual, parseEventLogs } from "viem";
import { verifyTypedData } from "viem/actions";
import type {
  Captured,
  ExactChain,
  ExactFault,
  ExactPayer,
  ExactPayment,
} from "@/lib/domain/exact/exact-ports.ts";
import { authorizationAbi, tokenAbi } from "../abis.ts";
import type { ChainClient } from "../chain-client.ts";
import type { Operator } from "../operator.ts";
import { type Capture, createCaptureQueue } from "./capture-queue.ts";
import { authorizationTypedData } from "./transfer-calls.ts";

/** An authorization must live this long after verify, so that work and capture fit in. In seconds. */
const MARGIN_SECS = 6n;

/**
 * Checks and captures EIP-3009 authorizations. What the chain says about the nonce decides: an authorization that is used
 * was captured when its transfer is in the transaction that used it, no matter who sent that transaction.
 */
export function createExactChain(
  operator: Operator,
  { network, asset }: { network: string; asset: Address },
): Omit<ExactChain, keyof ExactPayer> {
  const { client } = operator;
  const queue = createCaptureQueue(operator);
  const domains = new Map<string, Promise<{ name: string; version: string }>>();

  function domainOf(token: Address) {
    const read = async () => {
      const ask = (functionName: "name" | "version") =>
        client.readContract({ address: token, abi: authorizationAbi, functionName });
      const [name, version] = await Promise.all([ask("name"), ask("version")]);
      return { name, version };
    };
    const known = domains.get(token) ?? read();
    domains.set(token, known);
    known.catch(() => domains.delete(token));
    return known;
  }

  return {
    network,
    asset: getAddress(asset),
    async check(payment) {
      const token = payment.asset as Address;
      const [{ isUsed, balance, block }, domain] = await Promise.all([
        stateOf(client, payment),
        domainOf(token),
      ]);
      const isSigned = await verifyTypedData(client, {
        address: payment.payer as Address,
        signature: payment.signature as Hex,
        ...authorizationTypedData(payment, { ...domain, chainId: client.chain?.id ?? 0 }),
      }).catch((cause) => {
        if (/signature|length|hex/i.test(String(cause?.name))) return false;
        throw cause;
      });
      const fault: [boolean, ExactFault][] = [
        [!isSigned, "authorization_signature"],
        [isUsed, "authorization_used"],
        [block.timestamp < payment.validAfter, "authorization_early"],
        [block.timestamp + MARGIN_SECS >= payment.validBefore, "authorization_expired"],
        [balance < payment.value, "insufficient_funds"],
      ];
      return { fault: fault.find(([is]) => is)?.[1] ?? null, balance, block: block.number };
    },
    async capture(payment) {
      const before = await findOutcome(client, payment);
      if (before) return before;
      await queue.add(payment satisfies Capture);
      return (
        (await findOutcome(client, payment)) ?? {
          status: "refused",
          code: "capture_failed",
          message: "The token did not accept the authorization. Nothing was charged.",
        }
      );
    },
  };
}

type Sought = ExactPayment & { sinceBlock: bigint };

async function stateOf(client: ChainClient, { asset: token, payer, nonce }: ExactPayment) {
  const address = token as Address;
  const [isUsed, balance, block] = await Promise.all([
    client.readContract({
      address,
      abi: authorizationAbi,
      functionName: "authorizationState",
      args: [payer as Address, nonce as Hex],
    }),
    client.readContract({
      address,
      abi: tokenAbi,
      functionName: "balanceOf",
      args: [payer as Address],
    }),
    client.getBlock({ blockTag: "latest", includeTransactions: false }),
  ]);
  return { isUsed, balance, block };
}

/** The transaction that moved the money, where one did. */
export async function findTransfer(client: ChainClient, payment: Sought): Promise<Hex | null> {
  const [used] = await client.getContractEvents({
    address: payment.asset as Address,
    abi: authorizationAbi,
    eventName: "AuthorizationUsed",
    args: { authorizer: payment.payer as Address, nonce: payment.nonce as Hex },
    fromBlock: payment.sinceBlock,
  });
  if (!used) return null;
  const receipt = await client.getTransactionReceipt({ hash: used.transactionHash });
  const isOurs = parseEventLogs({
    abi: tokenAbi,
    eventName: "Transfer",
    logs: receipt.logs,
  }).some(
    ({ address, args }) =>
      isAddressEqual(address, payment.asset as Address) &&
      isAddressEqual(args.from, payment.payer as Address) &&
      isAddressEqual(args.to, payment.payTo as Address) &&
      args.value === payment.value,
  );
  return isOurs ? used.transactionHash : null;
}

/** The outcome as the chain has it; null while the authorization is unused and can still be captured. */
async function findOutcome(client: ChainClient, payment: Sought): Promise<Captured | null> {
  const { isUsed, balance, block } = await stateOf(client, payment);
  if (isUsed) {
    const reference = await findTransfer(client, payment);
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
};

const refuse = (code: ExactFault): Captured => ({
  status: "refused",
  code,
  message: MESSAGES[code],
});
