import { readFileSync } from "node:fs";
import {
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  size,
  stringToHex,
  toHex,
  zeroAddress,
} from "viem";
import { signTypedData } from "viem/accounts";
import { beforeAll, describe, expect, test } from "vitest";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { tokenAbi } from "../abis.ts";
import feeToken from "../artifacts/FeeToken.json" with { type: "json" };
import { findOperation } from "../bundler/find-operation.ts";
import { userOperationHash, userOperationTypedData } from "../bundler/user-operation.ts";
import { createOwnerOperation, sendOwnerOperation } from "../grants/owner-operation.ts";
import { nonceKeyOf } from "../grants/session-key.ts";
import { type ChainFixture, testKey } from "../testing/chain-fixture.ts";
import { AMOUNT, usePayingAccounts } from "../testing/paying-accounts.ts";

type Call = { target: Address; value?: bigint; callData?: Hex };

describe.each(ruleStores())("payments out of an account, $name", ({ open }) => {
  const { at, owned, payments, funded, deploy, receiver, payment } = usePayingAccounts(open);
  let f: ChainFixture;
  beforeAll(() => {
    ({ f } = at);
  });

  const setCode = (address: Address, code: Hex) =>
    f.client.request({ method: "anvil_setCode", params: [address, code] } as never);
  const transfer = (to: Address, amount: bigint): Call => ({
    target: f.usdc,
    callData: encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [to, amount] }),
  });
  const coinsOf = (address: Address) => f.client.getBalance({ address });

  test.each([
    { leaves: "the transfer", call: () => undefined },
    { leaves: "the receiver", call: () => transfer(receiver(), AMOUNT) },
  ])("are not paid by an account whose own code leaves out $leaves", async ({ leaves, call }) => {
    const account = await funded(`leaves ${leaves}`, 3n * AMOUNT);
    const refund = payment(account, receiver());
    await setCode(account, codeThatCalls(call()));
    const outcome = await payments().pay(refund);
    expect(outcome).toMatchObject({ status: "refused", code: "not_transferred" });
    expect(await payments().pay(refund)).toEqual(outcome);
    expect(await f.money(refund.to)).toBe(0n);
  });

  test("stay unknown where another amount arrived, and are not sent again", async () => {
    const account = await funded("leaves a part", 3n * AMOUNT);
    const refund = payment(account, receiver());
    await setCode(account, codeThatCalls(transfer(refund.to, AMOUNT - 1n)));
    const causes: string[] = [];
    const onTrouble = (cause: unknown) => causes.push(String(cause));
    for (const _ of ["first", "again"])
      expect(await payments({ onTrouble }).pay(refund)).toMatchObject({ status: "open" });
    expect(causes[1]).toContain(`moved ${AMOUNT - 1n} of ${AMOUNT}`);
    // Once: this code moves it in validation too.
    expect(await f.money(refund.to)).toBe(2n * (AMOUNT - 1n));
  });

  test("in a token that keeps a fee stay unknown with what arrived, and are sent once", async () => {
    const token = await deploy(feeToken.bytecode as Hex);
    const account = await funded("fee", 3n * AMOUNT, token);
    const refund = payment(account, receiver(), { token });
    const causes: string[] = [];
    const onTrouble = (cause: unknown) => causes.push(String(cause));
    for (const _ of ["first", "again", "and again"])
      expect(await payments({ onTrouble }).pay(refund)).toMatchObject({ status: "open" });
    const arrived = (AMOUNT * 99n) / 100n;
    expect(causes.at(-1)).toContain(`moved ${arrived} of ${AMOUNT}`);
    const held = (address: Address) =>
      f.client.readContract({
        address: token,
        abi: tokenAbi,
        functionName: "balanceOf",
        args: [address],
      });
    expect([await held(refund.to), await held(account)]).toEqual([arrived, 2n * AMOUNT]);

    // How docs/operations.md has a person end it, after what it says arrived.
    const [, asPaid = "", asRefused = ""] =
      /end it as paid: `(update [^`]*)`.*?`(update [^`]*)`/s.exec(
        readFileSync("docs/operations.md", "utf8"),
      ) ?? [];
    const end = (statement: string) =>
      at.database.query(
        statement.replace("<id>", refund.paymentId).replace("<transaction>", "0xseen"),
        [],
      );
    await end(asRefused);
    expect(await payments().pay(refund)).toMatchObject({
      status: "refused",
      code: "not_transferred",
    });
    const open =
      "update account_payments set state = 'open', failure_code = null, closed_at = null, due_at = app_now()";
    await at.database.query(open, []);
    await end(asPaid);
    expect(await payments().pay(refund)).toEqual({ status: "paid", txHash: "0xseen" });
  });

  test.each([
    { does: "nothing", call: () => undefined },
    { does: "a part", call: (target: Address) => ({ target, value: 3n }) },
    { does: "another payment", call: () => ({ target: receiver(), value: 7n }) },
  ])(
    "in the chain's own coin stay unknown where the account's own code does $does",
    async ({ does, call }) => {
      const account = await funded(`own coin, ${does}`, 0n);
      await f.chain.fund(account, 20n);
      const refund = payment(account, receiver(), { token: zeroAddress, amount: 7n });
      await setCode(account, codeThatCalls(call(refund.to)));
      for (const _ of ["first", "again"])
        expect(await payments().pay(refund)).toMatchObject({ status: "open" });
    },
  );

  test.each([true, false])(
    "in the chain's own coin that the release before began are paid as it laid them out (in a block: %s)",
    async (isIncluded) => {
      const account = await funded(`own coin, begun ${isIncluded}`, 0n);
      await f.chain.fund(account, 20n);
      const to = receiver();
      const refund = payment(account, to, { token: zeroAddress, amount: 7n });
      const unsigned = createOwnerOperation({
        account,
        calls: [{ target: to, value: 7n, callData: "0x" }],
        nonceKey: nonceKeyOf(stringToHex(`payment:${refund.paymentId}`)),
        callGas: 250_000n,
      });
      const operationHash = userOperationHash(f.deployment, { ...unsigned, signature: "0x" });
      const sinceBlock = await f.client.getBlockNumber();
      await at.journal.open(refund, { operationHash, sinceBlock });
      if (isIncluded) {
        const { name, account: own } = owned.get(account) as NonNullable<
          ReturnType<typeof owned.get>
        >;
        const signature = await signTypedData({
          ...userOperationTypedData(f.deployment, unsigned, "HybridDeleGator"),
          privateKey: testKey(name),
        });
        const sent = { account: own, unsigned, signature, callGas: 250_000n };
        expect(await sendOwnerOperation(f, sent)).toBeNull();
      }
      expect(await payments().pay(refund)).toMatchObject({ status: "paid" });
      expect([await coinsOf(account), await coinsOf(to)]).toEqual([13n, 7n]);
      const { deployment, client } = f;
      const sessionKey = account;
      const nonceKey = unsigned.nonce >> 64n;
      const found = await findOperation({ client, deployment, sessionKey, nonceKey, sinceBlock });
      expect(found?.hash).toBe(operationHash);
    },
  );

  test("in the chain's own coin are refused by a receiver whose code reverts, and move nothing", async () => {
    const account = await funded("own coin, refused", 0n);
    await f.chain.fund(account, 20n);
    const refund = payment(account, receiver(), { token: zeroAddress, amount: 7n });
    await setCode(refund.to, "0x5f5ffd");
    expect(await payments().pay(refund)).toMatchObject({ status: "refused", code: "not_possible" });
    expect([await coinsOf(account), await coinsOf(refund.to)]).toEqual([20n, 0n]);
  });
});

/** Code of an account that agrees to everything and makes this call, or none. */
function codeThatCalls(call?: Call): Hex {
  const agree: Hex = "0x60205ff3";
  if (!call) return concat(["0x5f5f52", agree]);
  const { target, value = 0n, callData = "0x" } = call;
  const [length, coins] = [size(callData), Number(value)].map((n) => toHex(n, { size: 1 })) as [
    Hex,
    Hex,
  ];
  // Copies the call's data, which follows, makes the call with it, and clears the first word.
  const copy = concat(["0x60", length, "0x602c5f39"]);
  const make = concat(["0x5f5f60", length, "0x5f60", coins, "0x73", target, "0x5af1505f5f52"]);
  return concat([copy, make, agree, callData]);
}
