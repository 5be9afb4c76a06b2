import { PaymentsError } from "@turnpike/payments/protocol";
import { getAddress, toHex } from "viem";
import { signTypedData } from "viem/accounts";
import type { ExactPayer } from "@/lib/domain/exact/exact-ports.ts";
import { authorizationAbi } from "../abis.ts";
import { balanceOf } from "../account-payments.ts";
import { GrantImpossible, type OwnerKeys } from "../grants/owner-keys.ts";
import type { Operator } from "../operator.ts";
import { type CodeMemory, prepareAccounts } from "../prepare-accounts.ts";
import { findTransfer, readIsUsed } from "./exact-chain.ts";
import { authorizationTypedData } from "./transfer-calls.ts";

/** Clocks of sellers and of the chain may be this far behind. In seconds. */
const EARLIER_SECS = 600n;

/**
 * Signs EIP-3009 authorizations of accounts whose owner key the service keeps (ERC-1271), and reads what became of them. The
 * smart account is created first: many facilitators check signatures of accounts that exist only.
 */
export function createExactPayer(
  operator: Operator,
  {
    owners,
    known,
    now: readTime,
  }: {
    owners: OwnerKeys;
    known: CodeMemory;
    /** A clock that replicas share: one machine's may be wrong. */
    now: () => Promise<Date>;
  },
): ExactPayer {
  const { client, deployment, sender } = operator;
  return {
    async sign({ account, asset, payTo, value, secs }) {
      const [privateKey, smartAccount] = await Promise.all([
        owners.ownerKey(account),
        owners.smartAccount(account),
      ]).catch((cause) => {
        if (!(cause instanceof GrantImpossible)) throw cause;
        throw new PaymentsError("signature_required", `${cause.message} Nothing was signed.`);
      });
      const address = getAddress(asset);
      const ask = (functionName: "name" | "version") =>
        client.readContract({ address, abi: authorizationAbi, functionName });
      const [name, version, balance, block, at] = await Promise.all([
        ask("name"),
        ask("version"),
        balanceOf(client, { account, token: asset }),
        client.getBlock({ blockTag: "latest", includeTransactions: false }),
        readTime(),
        prepareAccounts({ client, deployment, sender, accounts: [smartAccount], known }),
      ]);
      const wallClock = BigInt(Math.floor(at.getTime() / 1000));
      const now = block.timestamp > wallClock ? block.timestamp : wallClock;
      const payment = {
        payer: smartAccount.address,
        asset: address,
        payTo: getAddress(payTo),
        value,
        validAfter: now - EARLIER_SECS,
        validBefore: now + BigInt(secs),
        nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
      };
      const chainId = client.chain?.id ?? 0;
      const unsigned = { ...payment, id: "", signature: "" };
      const typedData = authorizationTypedData(unsigned, { name, version, chainId });
      const signature = await signTypedData({ ...typedData, privateKey });
      return { payment: { ...payment, signature }, balance, block: block.number };
    },

    async findCapture(payment) {
      // Of one block: a state from before that block's time does not say that it was not captured in time.
      const { number: blockNumber, timestamp } = await client.getBlock({
        blockTag: "latest",
        includeTransactions: false,
      });
      if (await readIsUsed(client, payment, blockNumber)) {
        const reference = await findTransfer(client, payment);
        return reference ? { status: "paid", reference } : null;
      }
      if (timestamp < payment.validBefore) return null;
      const message = "The authorization expired before the seller captured it. Nothing was paid.";
      return { status: "refused", code: "authorization_expired", message };
    },
  };
}
