import { randomBytes } from "node:crypto";
import { type Address, getContractAddress, type Hex, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { createAccountPaymentJournal } from "@/lib/adapters/db/money/account-payments.ts";
import { accounts } from "@/lib/adapters/db/schema.ts";
import { brokenRules, type Store } from "@/lib/adapters/db/testing/stores.ts";
import type { AccountPaymentJournal } from "@/lib/domain/money/account-payments.ts";
import { tokenAbi } from "../abis.ts";
import { createAccountPayments } from "../account-payments.ts";
import { createTransactionSender } from "../bundler/transaction-sender.ts";
import type { ChainClient } from "../chain-client.ts";
import { DETERMINISTIC_DEPLOYER } from "../deployment-plan.ts";
import { OwnerSignatureNeeded } from "../grants/owner-keys.ts";
import { type SmartAccount, smartAccount } from "../smart-account.ts";
import { type ChainFixture, startChainFixture, testKey } from "./chain-fixture.ts";

export const AMOUNT = 4_000_000n;

type World = { f: ChainFixture; database: Database; journal: AccountPaymentJournal };

/** Accounts that pay on a chain of their own; `at` is filled before the tests. */
export function usePayingAccounts(open: Store["open"]) {
  const at = {} as World;
  const owned = new Map<string, { account: SmartAccount; name: string }>();

  beforeAll(async () => {
    const [f, database] = await Promise.all([startChainFixture(), open()]);
    Object.assign(at, { f, database, journal: createAccountPaymentJournal(database.orm) });
  });
  afterAll(async () => {
    expect(await brokenRules(at.database)).toEqual([]);
    await at.database.close();
    await at.f.stop();
  });

  const owners = {
    smartAccount: async (address: string) => {
      const found = owned.get(address);
      if (!found) throw new OwnerSignatureNeeded(address);
      return found.account;
    },
    ownerKey: async (address: string) => testKey(owned.get(address)?.name ?? ""),
  };
  return {
    at,
    owned,
    owners,
    payments(
      parts: {
        journal?: AccountPaymentJournal;
        client?: ChainClient;
        onTrouble?: (cause: unknown) => void;
      } = {},
    ) {
      const { f } = at;
      const { client = f.client, journal = at.journal, onTrouble } = parts;
      const settler = privateKeyToAccount(f.settlerKey);
      const sender = createTransactionSender({ client, settler, replaceAfterMs: 200 });
      const operator = { client, deployment: f.deployment, sender };
      return createAccountPayments({ operator, owners, journal, ...(onTrouble && { onTrouble }) });
    },
    /** An account that exists in the ledger and whose contract is not deployed yet, with money. */
    async funded(name: string, money: bigint, token = at.f.usdc): Promise<Address> {
      const owner = privateKeyToAccount(testKey(name)).address;
      const account = smartAccount({ deployment: at.f.deployment, owner });
      owned.set(account.address, { account, name });
      await at.database.orm
        .insert(accounts)
        .values({ address: account.address, owner, createdAt: new Date() })
        .onConflictDoNothing();
      if (money > 0n) await at.f.write(token, tokenAbi, "faucet", [account.address, money]);
      return account.address;
    },
    /** Deploys a contract. */
    async deploy(bytecode: Hex): Promise<Address> {
      const data: Hex = `${zeroHash}${bytecode.slice(2)}`;
      await at.f.sender.send({ to: DETERMINISTIC_DEPLOYER, data, gas: 2_000_000n });
      const from = DETERMINISTIC_DEPLOYER;
      return getContractAddress({ opcode: "CREATE2", from, salt: zeroHash, bytecode });
    },
    receiver: () => privateKeyToAccount(`0x${randomBytes(32).toString("hex")}`).address,
    payment: (account: string, to: Address, terms: { amount?: bigint; token?: string } = {}) => ({
      paymentId: randomBytes(8).toString("hex"),
      kind: "withdrawal" as const,
      account,
      token: at.f.usdc,
      to,
      amount: AMOUNT,
      ...terms,
    }),
  };
}
