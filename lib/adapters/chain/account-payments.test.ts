import { zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { AccountPaymentJournal } from "@/lib/domain/money/account-payments.ts";
import { tokenAbi } from "./abis.ts";
import { userOperationTypedData } from "./bundler/user-operation.ts";
import type { ChainClient } from "./chain-client.ts";
import { createOwnerOperation, sendOwnerOperation } from "./grants/owner-operation.ts";
import { paymentTypedData } from "./grants/payment-operation.ts";
import { type ChainFixture, testKey } from "./testing/chain-fixture.ts";
import { AMOUNT, usePayingAccounts } from "./testing/paying-accounts.ts";

const STEPS = ["open", "noteSending", "broadcast", "close"] as const;
type Death = { step: (typeof STEPS)[number]; when: "before" | "after" };

describe.each(ruleStores())("payments out of an account, $name", ({ open }) => {
  const { at, owned, owners, payments, funded, receiver, payment } = usePayingAccounts(open);
  let f: ChainFixture;
  let journal: AccountPaymentJournal;
  beforeAll(() => {
    ({ f, journal } = at);
  });

  test("reach their receiver once, in sequence and concurrently, with a hash written before", async () => {
    const account = await funded("pay once", 3n * AMOUNT);
    const to = receiver();
    const once = payment(account, to);
    const outcomes = await Promise.all([1, 2, 3].map(() => payments().pay(once)));
    const again = await payments().pay(once);
    expect(again).toMatchObject({ status: "paid" });
    for (const outcome of outcomes) expect(["paid", "open"]).toContain(outcome.status);
    expect(await f.money(to)).toBe(AMOUNT);
    expect(await f.money(account)).toBe(2n * AMOUNT);
    const row = await journal.find(once.paymentId);
    expect(row?.operationHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(again).toEqual({ status: "paid", txHash: row?.txHash });
  });

  test("are made in the chain's own coin too", async () => {
    const account = await funded("native", 0n);
    await f.chain.fund(account, 10n);
    const to = receiver();
    const outcome = await payments().pay(payment(account, to, { token: zeroAddress, amount: 7n }));
    expect(outcome).toMatchObject({ status: "paid" });
    expect(await f.client.getBalance({ address: to })).toBe(7n);
  });

  test("above the balance, or of an account whose wallet holds the key, are refused and take nothing", async () => {
    const account = await funded("poor", AMOUNT - 1n);
    const tooMuch = payment(account, receiver());
    expect(await payments().pay(tooMuch)).toMatchObject({
      status: "refused",
      code: "insufficient_funds",
    });
    await f.write(f.usdc, tokenAbi, "faucet", [account, AMOUNT]);
    expect(await payments().pay(tooMuch)).toMatchObject({ status: "refused" });
    const elsewhere = await funded("wallet", AMOUNT);
    owned.delete(elsewhere);
    expect(await payments().pay(payment(elsewhere, receiver()))).toMatchObject({
      status: "refused",
      code: "owner_signature",
    });
    expect(await f.money(account)).toBe(2n * AMOUNT - 1n);
  });

  test("are never made under the id of another payment", async () => {
    const account = await funded("two", 2n * AMOUNT);
    const first = payment(account, receiver());
    await payments().pay(first);
    await expect(payments().pay({ ...first, to: receiver() })).rejects.toThrow("another payment");
    expect(await f.money(account)).toBe(AMOUNT);
  });

  test("a refusal after something was sent stays open while that can still be included", async () => {
    const account = await funded("pending", AMOUNT);
    const sent = payment(account, receiver());
    await journal.open(sent, { operationHash: "0x", sinceBlock: await f.client.getBlockNumber() });
    const nonce = await f.client.getTransactionCount({ address: f.sender.address });
    const lost = { sender: f.sender.address, hash: "0xlost" };
    await journal.noteSending(sent.paymentId, { ...lost, nonce: nonce + 1_000 });
    owned.delete(account);
    expect(await payments().pay(sent)).toEqual({ status: "open", txHash: "0xlost" });
    await journal.noteSending(sent.paymentId, { ...lost, nonce: nonce - 1 });
    expect(await payments().pay(sent)).toMatchObject({ status: "refused" });
  });

  test("are not refused for what a node behind their block answers", async () => {
    const account = await funded("pool", AMOUNT);
    const to = receiver();
    const once = payment(account, to);
    const { guard } = dying({ step: "close", when: "before" });
    const dead = { ...journal, close: guard("close", journal.close) };
    await payments({ journal: dead }).pay(once);
    expect(await f.money(to)).toBe(AMOUNT);
    const behind = (await f.client.getBlockNumber()) - 1n;
    const readContract = ((call: Parameters<ChainClient["readContract"]>[0]) =>
      f.client.readContract({ blockNumber: behind, ...call })) as ChainClient["readContract"];
    const own = owned.get(account);
    owned.delete(account);
    const pool = { ...f.client, readContract };
    expect(await payments({ client: pool }).pay(once)).toMatchObject({ status: "open" });
    if (own) owned.set(account, own);
    expect(await payments().pay(once)).toMatchObject({ status: "paid" });
  });

  test("are not paid by another operation that the owner sent under their nonce", async () => {
    const account = await funded("cheat", AMOUNT);
    const refund = payment(account, receiver());
    const { nonce } = paymentTypedData(f.deployment, refund).message;
    const callGas = 100_000n;
    const unsigned = createOwnerOperation({
      account,
      calls: [{ target: receiver(), value: 0n, callData: "0x" }],
      nonceKey: nonce >> 64n,
      callGas,
    });
    const owner = privateKeyToAccount(testKey("cheat"));
    const typedData = userOperationTypedData(f.deployment, unsigned, "HybridDeleGator");
    const reason = await sendOwnerOperation(f, {
      account: await owners.smartAccount(account),
      unsigned,
      signature: await owner.signTypedData(typedData),
      callGas,
    });
    expect(reason).toBeNull();
    const outcome = await payments().pay(refund);
    expect(outcome).toMatchObject({ status: "refused", code: "nonce_used" });
    expect(await payments().pay(refund)).toEqual(outcome);
    expect(await f.money(account)).toBe(AMOUNT);
  });

  test("are unknown while a node shows their transaction without its events", async () => {
    const once = payment(await funded("no events", AMOUNT), receiver());
    const getTransactionReceipt: ChainClient["getTransactionReceipt"] = async (asked) => ({
      ...(await f.client.getTransactionReceipt(asked)),
      logs: [],
    });
    const behind = { ...f.client, getTransactionReceipt };
    expect(await payments({ client: behind }).pay(once)).toMatchObject({ status: "open" });
    expect(await payments().pay(once)).toMatchObject({ status: "paid" });
    expect(await f.money(once.to)).toBe(AMOUNT);
  });

  const deaths = STEPS.flatMap((step) =>
    (["before", "after"] as const).map((when): Death => ({ step, when })),
  );
  test.each(deaths)("killed $when $step, two replicas pay it once", async (death) => {
    const account = await funded(`killed ${death.when} ${death.step}`, 3n * AMOUNT);
    const to = receiver();
    const once = payment(account, to);
    const { guard, guardAll } = dying(death);
    const client: ChainClient = {
      ...guardAll(f.client),
      sendRawTransaction: guard("broadcast", f.client.sendRawTransaction),
    };
    const dead = guardAll({
      ...journal,
      open: guard("open", journal.open),
      noteSending: guard("noteSending", journal.noteSending),
      close: guard("close", journal.close),
    });
    await payments({ journal: dead, client })
      .pay(once)
      .catch(() => undefined);
    const outcomes = await Promise.all([payments().pay(once), payments().pay(once)]);
    for (const outcome of outcomes) expect(["paid", "open"]).toContain(outcome.status);
    expect(await payments().pay(once)).toMatchObject({ status: "paid" });
    expect(await f.money(to)).toBe(AMOUNT);
    expect(await f.money(account)).toBe(2n * AMOUNT);
  });
});

/** A process that is killed at a step: from then on it does nothing more. */
function dying(death: Death) {
  let isDead = false;
  const live = () => {
    if (isDead) throw new Error("killed");
  };
  const guard =
    <A extends unknown[], R>(step: Death["step"], work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (step === death.step && death.when === "before") isDead = true;
      live();
      const result = await work(...args);
      if (step === death.step) isDead = true;
      live();
      return result;
    };
  const guardAll = <T extends object>(parts: T): T =>
    new Proxy({} as T, {
      ownKeys: () => Reflect.ownKeys(parts),
      getOwnPropertyDescriptor: (_, key) => ({
        ...Reflect.getOwnPropertyDescriptor(parts, key),
        configurable: true,
      }),
      get: (_, key) => {
        live();
        return Reflect.get(parts, key);
      },
    });
  return { guard, guardAll };
}
