import { randomBytes } from "node:crypto";
import { type Hex, serializeErc6492Signature, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test, vi } from "vitest";
import { authorizationTypedData } from "@/lib/adapters/chain/exact/transfer-calls.ts";
import { giveTestDollars } from "@/lib/adapters/chain/operator.ts";
import { smartAccount, smartAccountCreation } from "@/lib/adapters/chain/smart-account.ts";
import { shareChainService } from "../testing/shared-chain-service.ts";
import type { TestParty } from "../testing/test-service.ts";

/** Two transfers a day of wallets that are created by them. */
const LIMITS = { gasPerAccount: 2_400_000, gasPerPlan: 0, floorCents: 0n };
const CENT = 10_000n;

const at = shareChainService(LIMITS);

/** Payments of a smart wallet to itself, whose signatures name what creates it. */
async function openWallet() {
  const { deployment, onChain } = at.service;
  const owner = privateKeyToAccount(toHex(randomBytes(32)));
  const account = smartAccount({ deployment, owner: owner.address });
  const { to, data } = smartAccountCreation({ deployment, account });
  await giveTestDollars(onChain.operator, { account: account.address, amount: 100n * CENT });
  return async () => {
    const payment = {
      id: "",
      payer: account.address,
      asset: at.service.usdc,
      payTo: account.address,
      value: CENT,
      validAfter: 0n,
      validBefore: 4_000_000_000n,
      nonce: toHex(randomBytes(32)),
      signature: "",
    };
    const domain = { name: "USDC", version: "2", chainId: deployment.chainId };
    const signature = await owner.signTypedData(authorizationTypedData(payment, domain));
    return bodyOf({
      ...payment,
      signature: serializeErc6492Signature({ address: to, data, signature }),
    });
  };
}

/** What a stock server sends to its facilitator. */
function bodyOf({ payer, asset, payTo, value, signature, ...signed }: Record<string, unknown>) {
  const paymentRequirements = {
    scheme: "exact",
    network: "eip155:84532",
    amount: String(value),
    asset,
    payTo,
    maxTimeoutSeconds: 300,
    extra: { name: "USDC", version: "2" },
  };
  const { validAfter, validBefore, nonce } = signed;
  const authorization = {
    from: payer,
    to: payTo,
    value: String(value),
    validAfter: String(validAfter),
    validBefore: String(validBefore),
    nonce,
  };
  const paymentPayload = {
    x402Version: 2,
    accepted: paymentRequirements,
    payload: { signature, authorization },
  };
  return JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements });
}

async function ask(party: TestParty, verb: "verify" | "settle", body: string, key?: string) {
  const headers = {
    authorization: `Bearer ${party.apiKey}`,
    "content-type": "application/json",
    ...(key && { "idempotency-key": key }),
  };
  const url = `http://turnpike.test/api/v1/x402/${verb}`;
  return (await at.service.serve(new Request(url, { method: "POST", headers, body }))).json();
}

async function countSent(act: () => Promise<unknown>): Promise<number> {
  const { client, sender } = at.service.onChain.operator;
  const count = () => client.getTransactionCount({ address: sender.address as Hex });
  const before = await count();
  await act();
  return (await count()) - before;
}

test("T48: a transfer that is settled by many requests at once, and again afterwards, costs one transaction", async () => {
  const [party, sign] = await Promise.all([at.service.party({ isFunded: false }), openWallet()]);
  const body = await sign();
  const settle = () => ask(party, "settle", body, "one transfer");
  const answers: unknown[] = [];
  const sent = await countSent(async () => {
    answers.push(...(await Promise.all(Array.from({ length: 10 }, settle))));
    for (let round = 0; round < 3; round++) answers.push(await settle());
  });
  expect(answers[0]).toMatchObject({ success: true });
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(sent).toBe(1);
});

test("T48: a transfer that the chain refused is not sent again", async () => {
  const [party, sign] = await Promise.all([at.service.party({ isFunded: false }), openWallet()]);
  const body = await sign();
  const refused = { status: "refused", code: "capture_failed", message: "" } as const;
  const capture = vi.spyOn(at.service.onChain.exact, "capture").mockResolvedValueOnce(refused);
  const first = await ask(party, "settle", body, "refused");
  expect(first).toMatchObject({ success: false, cause: "capture_failed" });
  expect(await ask(party, "settle", body, "refused")).toEqual(first);
  expect(capture).toHaveBeenCalledTimes(1);
  capture.mockRestore();
});

test("T48: an account's transfers use up the gas that the service pays in a day, also of wallets that pay themselves", async () => {
  const [party, other] = (await Promise.all(
    Array.from({ length: 2 }, () => at.service.party({ isFunded: false })),
  )) as [TestParty, TestParty];
  const sign = await openWallet();
  const bodies = await Promise.all(Array.from({ length: 6 }, sign));
  const answers: { success: boolean; cause?: string }[] = [];
  const sent = await countSent(async () => {
    answers.push(...(await Promise.all(bodies.map((body) => ask(party, "settle", body)))));
  });
  expect(answers.filter(({ success }) => success)).toHaveLength(2);
  expect(answers.filter(({ cause }) => cause === "gas_budget")).toHaveLength(4);
  expect(sent).toBe(2);
  const next = await sign();
  expect(await ask(party, "verify", next)).toMatchObject({ isValid: false, cause: "gas_budget" });
  expect(await ask(other, "verify", next)).toMatchObject({ isValid: true });
  await at.service.ports.clock.advance(25 * 3_600);
  expect(await ask(party, "settle", next)).toMatchObject({ success: true });
});
