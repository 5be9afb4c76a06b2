import { randomBytes } from "node:crypto";
import {
  decodeAccessToken,
  type GrantToSign,
  getCryptoPriceConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { decodeGrant } from "@/lib/adapters/chain/grants/grant.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import { readGrantTerms } from "@/lib/adapters/chain/testing/read-grant-terms.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import { createMarket, type TestParty } from "@/lib/server/testing/test-service.ts";
import { useChainMarket } from "@/lib/server/testing/use-chain-market.ts";

const PRICE = 1_000_000n;
const LIMIT = { provider: "erc4337", spendingLimitCents: 1000n, durationSecs: 86_400 } as const;

const newKey = (): Hex => `0x${randomBytes(32).toString("hex")}`;

/** Signs a grant as a wallet does: it is given the typed data and nothing else. */
const signWith = (key: Hex, { typedData }: GrantToSign): Promise<Hex> =>
  privateKeyToAccount(key).signTypedData(
    typedData as unknown as Parameters<ReturnType<typeof privateKeyToAccount>["signTypedData"]>[0],
  );

describe.each(ruleStores())("an account its owner's wallet signs for, on $name", ({ open }) => {
  const at = useChainMarket(open);

  const walletParty = (walletKey = newKey()) => at.service.party({ walletKey });
  const create = async (party: TestParty, more = {}) => {
    const made = await party.payments.delegation.createDelegation({ ...LIMIT, ...more });
    if (!made.grant) throw new Error("There is nothing to sign.");
    return { delegationId: made.delegationId, grant: made.grant, status: made.status };
  };
  const mint = (party: TestParty, delegationId?: string) =>
    party.payments.x402.getX402AccessToken(at.market.planId, at.market.agentId, {
      ...(delegationId && { delegationConfig: { delegationId } }),
    });
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "none",
      (error: { code: string }) => error.code,
    );

  test("an order creates no delegation for it, which its wallet would have to sign first", async () => {
    const { payments } = await walletParty();
    const { planId } = at.market;
    const delegationConfig = { spendingLimitCents: 1000n, durationSecs: 86_400 };
    const order = (more = {}) => payments.plans.orderPlan(planId, { delegationConfig, ...more });
    await expect(order()).rejects.toMatchObject({
      code: "signature_required",
      details: [{ path: "delegationConfig" }],
    });
    await expect(order({ delegationId: "d1" })).rejects.toMatchObject({ code: "invalid_input" });
    expect((await payments.delegation.listDelegations()).items).toEqual([]);
  });

  test("an order of an account that the service signs for pays under the delegation it creates", async () => {
    const { payments } = await at.service.party();
    const { planId } = at.market;
    const delegationConfig = { spendingLimitCents: 1000n, durationSecs: 86_400 };
    const idempotencyKey = "with its delegation";
    const order = () => payments.plans.orderPlan(planId, { delegationConfig, idempotencyKey });
    const placed = await order();
    expect(placed).toMatchObject({ status: "minted", txHash: expect.stringMatching(/^0x/) });
    expect(await order()).toMatchObject({ orderId: placed.orderId });
    const { items } = await payments.delegation.listDelegations();
    expect(items).toMatchObject([{ planIds: [planId], status: "Active", transactionCount: 1 }]);
    expect(items[0]?.amountSpentCents).toBeGreaterThan(0n);
  });

  test("one signature begins it: order and burn on chain are made under the wallet's grant", async () => {
    const key = newKey();
    const person = await walletParty(key);
    const { delegationId, grant, status } = await create(person, { name: "Research" });
    expect(status).toBe("AwaitingSignature");
    expect(grant).toMatchObject({
      delegationId,
      signer: privateKeyToAccount(key).address,
      terms: {
        account: person.address,
        orderToken: at.service.usdc,
        orderLimit: "10000000",
        spendingLimitCents: "1000",
        permissions: ["order", "burn"],
        planIds: [],
      },
      typedData: {
        primaryType: "Delegation",
        domain: { chainId: 84532, verifyingContract: at.service.deployment.delegationManager },
        message: { delegate: grant.terms.sessionKeyAddress, delegator: person.address },
      },
    });
    const summary = await person.payments.delegation.submitGrantSignature(
      delegationId,
      await signWith(key, grant),
    );
    expect(summary).toMatchObject({ status: "Active", name: "Research" });
    const had = await at.service.money(at.receiver);
    const order = await at.service.call(
      person,
      "POST",
      `/protocol/plans/${at.market.planId}/order`,
      {
        delegationId,
      },
    );
    expect(await order.json()).toMatchObject({ success: true, status: "minted" });
    expect((await at.service.money(at.receiver)) - had).toBe(PRICE);
    expect(await at.service.credits(person.address, at.market.planId)).toBe(100n);

    const { accessToken } = await mint(person, delegationId);
    const settlement = await at.market.builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(at.market),
      x402AccessToken: accessToken,
      agentRequestId: freshId(),
    });
    expect(settlement).toMatchObject({ success: true, remainingBalance: "99" });
    await at.service.untilMirrored();
    expect(await at.service.credits(person.address, at.market.planId)).toBe(99n);
    const [row] = await at.database.query<{ signed: Hex }>(
      "select signed from chain_grants where delegation_id = $1",
      [delegationId],
    );
    const signed = decodeGrant(row?.signed ?? "0x");
    expect(signed.delegator).toBe(person.address);
    expect(readGrantTerms(signed).orderLimit).toBe(10_000_000n);
    const account = await at.service.ports.accounts.find(person.address);
    expect(account?.ownerKey).toBeNull();
  });

  test("what is shown in words is what the signed bytes say", async () => {
    const person = await walletParty();
    const { grant } = await create(person, { planIds: [at.market.planId], durationSecs: 3600 });
    const { caveats } = grant.typedData.message as {
      caveats: { enforcer: Hex; terms: Hex }[];
    };
    const terms = readGrantTerms({
      ...(grant.typedData.message as unknown as Parameters<typeof readGrantTerms>[0]),
      caveats: caveats.map((caveat) => ({ ...caveat, args: "0x" as const })),
    });
    expect(terms).toMatchObject({
      plans: [BigInt(at.market.planId)],
      permissions: grant.terms.permissions,
      redemptionLimit: BigInt(grant.terms.redemptionLimit),
      orderToken: grant.terms.orderToken,
      orderLimit: BigInt(grant.terms.orderLimit),
    });
    expect(grant.terms.planIds).toEqual([at.market.planId]);
    expect(caveats[0]?.enforcer).toBe(grant.terms.contracts.enforcer);
    const end = Date.parse(grant.terms.validUntil) / 1000;
    expect(terms.validUntil - end).toBeGreaterThan(86_398);
    expect(terms.validUntil - end).toBeLessThanOrEqual(86_400);
    expect(await person.payments.delegation.getGrant(grant.delegationId)).toEqual(grant);
  });

  test("nothing is minted or ordered before the signature", async () => {
    const person = await walletParty();
    const { delegationId } = await create(person);
    expect(await codeOf(mint(person, delegationId))).toBe("signature_required");
    expect(await codeOf(mint(person))).toBe("signature_required");
    const limited = person.payments.x402.getX402AccessToken(at.market.planId, at.market.agentId, {
      delegationConfig: { spendingLimitCents: 100n, durationSecs: 60 },
    });
    expect(await codeOf(limited)).toBe("signature_required");
    const order = await at.service.call(
      person,
      "POST",
      `/protocol/plans/${at.market.planId}/order`,
      {
        delegationId,
      },
    );
    expect([order.status, (await order.json()).code]).toEqual([409, "signature_required"]);
    expect(await at.service.credits(person.address, at.market.planId)).toBe(0n);
    const { total } = await person.payments.tokens.listTokens();
    expect(total).toBe(0);
  });

  test("only the owner's signature of this very grant counts", async () => {
    const key = newKey();
    const person = await walletParty(key);
    const { delegationId, grant } = await create(person);
    const other = await create(person);
    const submit = (signature: string) =>
      codeOf(person.payments.delegation.submitGrantSignature(delegationId, signature));
    const good = await signWith(key, grant);
    const elsewhere: GrantToSign[] = [
      {
        ...grant,
        typedData: { ...grant.typedData, domain: { ...grant.typedData.domain, chainId: 8453 } },
      },
      {
        ...grant,
        typedData: {
          ...grant.typedData,
          domain: { ...grant.typedData.domain, verifyingContract: `0x${"12".repeat(20)}` },
        },
      },
      {
        ...grant,
        typedData: { ...grant.typedData, message: { ...grant.typedData.message, salt: "1" } },
      },
      other.grant,
    ];
    for (const wrong of elsewhere) {
      expect(await submit(await signWith(key, wrong))).toBe("invalid_input");
    }
    expect(await submit(await signWith(newKey(), grant))).toBe("invalid_input");
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const high = (order - BigInt(`0x${good.slice(66, 130)}`)).toString(16).padStart(64, "0");
    const turned = good.endsWith("1b") ? "1c" : "1b";
    expect(await submit(`${good.slice(0, 66)}${high}${turned}`)).toBe("invalid_input");
    for (const shape of ["0x", good.slice(0, -2), `${good}00`, `0x${"00".repeat(65)}`]) {
      expect(await submit(shape)).toBe("invalid_input");
    }
    expect(await codeOf(mint(person, delegationId))).toBe("signature_required");
    const stranger = await walletParty(key === "0x" ? key : newKey());
    const stolen = stranger.payments.delegation.submitGrantSignature(delegationId, good);
    expect(await codeOf(stolen)).toBe("not_found");
    // Some wallets write v as 0 or 1.
    const bare = `${good.slice(0, 130)}${good.endsWith("1b") ? "00" : "01"}`;
    expect(await submit(bare)).toBe("none");
    expect(await submit(bare)).toBe("none");
    expect(await codeOf(mint(person, delegationId))).toBe("none");
    expect(await codeOf(person.payments.delegation.getGrant(delegationId))).toBe("conflict");
  });

  test("a revoked delegation is not begun by a late signature", async () => {
    const key = newKey();
    const person = await walletParty(key);
    const { delegationId, grant } = await create(person);
    await person.payments.delegation.revokeDelegation(delegationId);
    const signature = await signWith(key, grant);
    const late = person.payments.delegation.submitGrantSignature(delegationId, signature);
    expect(await codeOf(late)).toBe("conflict");
    const { status } = await person.payments.delegation.getDelegation(delegationId);
    expect(status).toBe("Revoked");
  });

  test("a root limit is signed once with its key; tokens and orders by that key happen under it", async () => {
    const key = newKey();
    const person = await walletParty(key);
    const made = await person.payments.apiKeys.createApiKey({
      name: "worker",
      rootLimit: { spendingLimitCents: 250n, durationSecs: 86_400 },
    });
    const root = made.rootDelegation;
    if (!root?.grant) throw new Error("There is nothing to sign.");
    expect(root.status).toBe("AwaitingSignature");
    const call = (path: string, body: unknown) =>
      at.service.call({ ...person, apiKey: made.apiKey }, "POST", path, body);
    const accepted = { planId: at.market.planId, extra: { agentId: at.market.agentId } };
    const early = await call("/x402/permissions", { accepted });
    expect([early.status, (await early.json()).code]).toEqual([409, "signature_required"]);

    await person.payments.delegation.submitGrantSignature(
      root.delegationId,
      await signWith(key, root.grant),
    );
    const minted = await call("/x402/permissions", { accepted });
    const { accessToken, delegationId } = (await minted.json()) as Record<string, string>;
    expect(delegationId).toBe(root.delegationId);
    const narrowed = await call("/x402/permissions", {
      accepted,
      delegationConfig: { spendingLimitCents: "100", durationSecs: 600 },
    });
    const token = decodeAccessToken(
      ((await narrowed.json()) as Record<string, string>).accessToken ?? "",
    );
    const { authorization, sessionKey } = token?.payload ?? {};
    expect(authorization?.delegationId).toBe(root.delegationId);
    expect(sessionKey?.limits.orderLimit).toBe("1000000");
    expect((authorization?.exp ?? 0) - (authorization?.iat ?? 0)).toBe(600);
    // The balance is empty: settling orders the plan under the root.
    const settlement = await at.market.builder.payments.facilitator.settlePermissions({
      paymentRequired: requirementOf(at.market),
      x402AccessToken: accessToken ?? "",
      agentRequestId: freshId(),
    });
    expect(settlement).toMatchObject({ success: true, remainingBalance: "99" });
    const ordered = await call(`/protocol/plans/${at.market.planId}/order`, {});
    expect(await ordered.json()).toMatchObject({ success: true });
    const third = await call(`/protocol/plans/${at.market.planId}/order`, {});
    expect((await third.json()).code).toBe("payment_refused");
    const summary = await person.payments.delegation.getDelegation(root.delegationId);
    expect(summary).toMatchObject({
      name: "worker",
      amountSpentCents: 200n,
      remainingBudgetCents: 50n,
      rootOf: [made.keyId],
    });
    const { items } = await person.payments.apiKeys.listApiKeys();
    expect(items.find(({ keyId }) => keyId === made.keyId)?.rootDelegationId).toBe(
      root.delegationId,
    );
    await at.service.untilMirrored();
    expect(await at.service.credits(person.address, at.market.planId)).toBe(199n);

    await person.payments.delegation.revokeDelegation(root.delegationId);
    const after = await call("/x402/permissions", { accepted });
    expect([after.status, (await after.json()).details?.[0].path]).toEqual([422, "apiKey"]);
  });

  test("an account the service signs for needs no signature, and its key's root limit holds too", async () => {
    const person = await at.service.party();
    const made = await person.payments.apiKeys.createApiKey({
      name: "worker",
      rootLimit: { spendingLimitCents: 150n, durationSecs: 86_400 },
    });
    expect(made.rootDelegation).toMatchObject({ status: "Active" });
    expect(made.rootDelegation?.grant).toBeUndefined();
    const order = () =>
      at.service.call(
        { ...person, apiKey: made.apiKey },
        "POST",
        `/protocol/plans/${at.market.planId}/order`,
        {},
      );
    expect(await (await order()).json()).toMatchObject({ success: true });
    expect((await (await order()).json()).code).toBe("payment_refused");
    expect(await person.payments.plans.orderPlan(at.market.planId)).toMatchObject({
      success: true,
    });
  });

  test("a grant pays in one token: plans of two are refused, and a plan of another is not covered", async () => {
    const key = newKey();
    const person = await walletParty(key);
    const native = await createMarket(at.service, {
      price: getCryptoPriceConfig(5n, at.receiver),
      order: false,
    });
    const both = person.payments.delegation.createDelegation({
      ...LIMIT,
      planIds: [at.market.planId, native.planId],
    });
    expect(await codeOf(both)).toBe("invalid_input");
    const { delegationId, grant } = await create(person);
    await person.payments.delegation.submitGrantSignature(delegationId, await signWith(key, grant));
    const crossed = person.payments.x402.getX402AccessToken(native.planId, native.agentId, {
      delegationConfig: { delegationId },
    });
    expect(await codeOf(crossed)).toBe("invalid_input");
  });

  test("what costs nothing goes on no chain and needs no signature", async () => {
    const person = await walletParty();
    const free = await createMarket(at.service, { price: getFreePriceConfig() });
    await person.payments.plans.orderPlan(free.planId);
    const token = await person.payments.x402.getX402AccessToken(free.planId, free.agentId);
    // The delegation made for the free plan covers no other plan.
    expect(await codeOf(mint(person, token.delegationId))).toBe("invalid_input");
  });

  test("revoking what only a wallet could revoke on chain erases its session key for ever", async () => {
    const key = newKey();
    const person = await walletParty(key);
    const { delegationId, grant } = await create(person);
    await person.payments.delegation.submitGrantSignature(delegationId, await signWith(key, grant));
    await mint(person, delegationId);
    await person.payments.delegation.revokeDelegation(delegationId);
    const erased = await pollUntil(
      async () => {
        const rows = await at.database.query<{ gone: boolean }>(
          `select g.session_key = '' and d.session_key = '' and g.revoked_at is not null as gone
           from chain_grants g join delegations d on d.delegation_id = g.delegation_id where d.delegation_id = $1`,
          [delegationId],
        );
        return rows[0]?.gone || undefined;
      },
      { timeoutMs: 10_000 },
    );
    expect(erased).toBe(true);
  });

  test("a grant that is not signed within the hour expires", async () => {
    const key = newKey();
    const person = await walletParty(key);
    const { delegationId, grant } = await create(person);
    const signature = await signWith(key, grant);
    await at.service.ports.clock.advance(3_601);
    const late = person.payments.delegation.submitGrantSignature(delegationId, signature);
    expect(await codeOf(late)).toBe("conflict");
    expect(await codeOf(person.payments.delegation.getGrant(delegationId))).toBe("conflict");
    const { status } = await person.payments.delegation.getDelegation(delegationId);
    expect(status).toBe("Expired");
    expect(await codeOf(mint(person, delegationId))).toBe("invalid_input");
  });
});
