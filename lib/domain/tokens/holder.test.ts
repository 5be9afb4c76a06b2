import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import {
  getDynamicCreditsConfig,
  type RequestProof,
  readSignatureInput,
  setHolderRequired,
  signatureBase,
  writeSignatureInput,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId, requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

type Holder = { x: string; privateKey: KeyObject };

function createHolder(): Holder {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { x: publicKey.export({ format: "jwk" }).x ?? "", privateKey };
}

const jwkOf = ({ x }: Holder) => ({ kty: "OKP", crv: "Ed25519", x }) as const;

/** A request as its holder signs it. */
function signRequest(
  holder: Holder,
  token: string,
  {
    nonce = randomUUID(),
    created = 1_800_000_000,
    ...change
  }: Partial<RequestProof> & { nonce?: string; created?: number } = {},
): RequestProof {
  const request = { method: "POST", path: "/ask", query: "?", ...change };
  const signatureInput = writeSignatureInput({
    nonce,
    created,
    keyId: holder.x,
    hasBody: request.contentDigest !== undefined,
  });
  const signed = readSignatureInput(signatureInput);
  const base = signed && signatureBase(signed, { ...request, token });
  const signature = sign(null, Buffer.from(base ?? ""), holder.privateKey).toString("base64");
  return { ...request, signatureInput, signature: `sig=:${signature}:` };
}

describe.each(ruleStores())("sender-constrained tokens on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let market: TestMarket;
  let holder: Holder;
  let token: string;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    market = await createMarket(service, { credits: getDynamicCreditsConfig(1000n, 1n, 10n) });
    holder = createHolder();
    const { planId, agentId, subscriber } = market;
    const minted = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
      redemptionLimit: 1_000,
      leaseSecs: 30,
      cnf: { jwk: jwkOf(holder) },
    });
    expect(minted.leaseSecs).toBe(0);
    token = minted.accessToken;
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const ask = async (
    path: "verify" | "settle",
    question: {
      proof?: RequestProof;
      agentRequestId?: string;
      reserve?: boolean;
      maxAmount?: string;
      x402AccessToken?: string;
    },
    caller: TestParty = market.builder,
  ) => {
    const response = await service.call(caller, "POST", `/x402/${path}`, {
      paymentRequired: requirementOf(market),
      x402AccessToken: token,
      ...question,
    });
    return response.json();
  };
  const verify = (proof?: RequestProof) =>
    ask("verify", { reserve: true, agentRequestId: freshId(), ...(proof && { proof }) });
  const spent = async () => {
    const { balance, held } = await market.subscriber.payments.plans.getPlanBalance(market.planId);
    return 1000n - balance + held;
  };

  test("T01: the token alone pays nothing: not its plan's owner, not a thief, not a stock client", async () => {
    const before = await spent();
    const stock = {
      x402Version: 2,
      paymentPayload: JSON.parse(Buffer.from(token, "base64").toString()),
      paymentRequirements: requirementOf(market).accepts[0],
    };
    const settleStock = service.call(market.builder, "POST", "/x402/settle", stock);
    expect(await (await settleStock).json()).toMatchObject({ cause: "not_signed" });
    for (let tries = 0; tries < 20; tries++) {
      expect(await verify()).toMatchObject({ isValid: false, cause: "not_signed" });
      expect(await ask("settle", { agentRequestId: freshId() })).toMatchObject({
        success: false,
        cause: "not_signed",
      });
    }
    expect(await spent()).toBe(before);
  });

  // A gate of an earlier release asks, and would judge the signatures itself.
  test("T01: nothing is leased of a token that is bound to a key", async () => {
    const lent = await market.builder.payments.facilitator.leasePermissions({
      ...{ paymentRequired: requirementOf(market), x402AccessToken: token },
      ...{ proof: signRequest(holder, token), requests: 10, seconds: 30 },
    });
    expect(lent).toEqual({ requests: 0, seconds: 0 });
  });

  test("a signed request is paid once, whatever the builder calls it", async () => {
    const before = await spent();
    const proof = signRequest(holder, token);
    const verified = await verify(proof);
    expect(verified).toMatchObject({ isValid: true });
    // Under another id it is the same request, and its reservation is found again.
    expect(await verify(proof)).toMatchObject({ agentRequestId: verified.agentRequestId });
    const settled = await ask("settle", { agentRequestId: verified.agentRequestId });
    expect(settled).toMatchObject({ success: true, creditsRedeemed: "1" });
    const again = await ask("settle", { proof, agentRequestId: freshId() });
    expect(again).toMatchObject({ agentRequestId: verified.agentRequestId });
    expect(await verify(proof)).toMatchObject({ code: "idempotency_conflict" });
    expect(await spent()).toBe(before + 1n);
  });

  test("a repeat that is signed anew under the same nonce is the same request", async () => {
    const nonce = randomUUID();
    const first = await verify(signRequest(holder, token, { nonce }));
    const second = await verify(signRequest(holder, token, { nonce, created: 1_800_000_100 }));
    expect(second).toMatchObject({ isValid: true, agentRequestId: first.agentRequestId });
    expect(await verify(signRequest(holder, token))).not.toMatchObject({
      agentRequestId: first.agentRequestId,
    });
  });

  test("a request that was changed, or signed by another key, is refused", async () => {
    const proof = signRequest(holder, token, { contentDigest: "sha-256=:AAAA:" });
    const { contentDigest: _, ...withoutBody } = proof;
    const changed: RequestProof[] = [
      { ...proof, method: "GET" },
      { ...proof, path: "/other" },
      { ...proof, query: "?all=1" },
      { ...proof, contentDigest: "sha-256=:BBBB:" },
      withoutBody,
      { ...proof, signatureInput: proof.signatureInput.replace(/created=\d/, "created=9") },
      { ...proof, signatureInput: proof.signatureInput.replace(' "content-digest"', "") },
      { ...proof, signatureInput: proof.signatureInput.replace('tag="x402"', 'tag="login"') },
      { ...proof, signature: proof.signature.replace(/=:./, "=:_") },
      { ...proof, signature: "" },
      signRequest(createHolder(), token),
      signRequest(holder, market.token),
    ];
    for (const wrong of changed) {
      expect(await verify(wrong)).toMatchObject({ isValid: false, cause: "key_mismatch" });
    }
  });

  test("a slash at a path's end, which a proxy may add or remove, is not part of what is signed", async () => {
    const [bare, whole] = [{ path: "/api" }, { path: "/api/" }];
    for (const signed of [bare, whole]) {
      for (const seen of [bare, whole]) {
        const proof = { ...signRequest(holder, token, signed), ...seen };
        expect(await verify(proof)).toMatchObject({ isValid: true });
      }
    }
    const other = { ...signRequest(holder, token, bare), path: "/api/more" };
    expect(await verify(other)).toMatchObject({ cause: "key_mismatch" });
  });

  test("T01: a replay of the nonce without the signature does not find the request's hold", async () => {
    const proof = signRequest(holder, token);
    const { agentRequestId } = await verify(proof);
    const forged = { ...proof, signature: `sig=:${"A".repeat(86)}==:` };
    expect(await verify(forged)).toMatchObject({ isValid: false, cause: "key_mismatch" });
    expect(await ask("verify", { reserve: true, agentRequestId })).toMatchObject({
      cause: "not_signed",
    });
    // What was reserved is settled, as always, without another look at the token.
    expect(await ask("settle", { agentRequestId })).toMatchObject({ success: true });
  });

  test("a repeated verify says so, and the first one and a tried again one do not", async () => {
    const proof = signRequest(holder, token);
    const first = await verify(proof);
    expect(first.isRepeat).toBeUndefined();
    expect(await verify(proof)).toMatchObject({ isValid: true, isRepeat: true });
    const { agentRequestId } = first;
    await market.builder.payments.facilitator.releasePermissions({ agentRequestId });
    expect((await verify(proof)).isRepeat).toBeUndefined();
  });

  test("T15: a builder takes no more for a signed request than its token's offer says", async () => {
    const before = await spent();
    const { planId, agentId, subscriber } = market;
    const offered = async (amount: string | undefined) =>
      (
        await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
          cnf: { jwk: jwkOf(holder) },
          ...(amount !== undefined && { accepted: { amount } }),
        })
      ).accessToken;
    const settle = (bound: string, maxAmount: string) =>
      ask("settle", {
        agentRequestId: freshId(),
        x402AccessToken: bound,
        maxAmount,
        proof: signRequest(holder, bound),
      });
    const two = await offered("2");
    for (const above of ["3", "5", "10"]) {
      const refused = { success: false, cause: "amount_not_signed" };
      expect(await settle(two, above)).toMatchObject(refused);
    }
    expect(await settle(two, "2")).toMatchObject({ success: true, creditsRedeemed: "2" });
    expect(await settle(await offered("two"), "1")).toMatchObject({ cause: "amount_not_signed" });
    // Minted without an offer, it allows what the plan does.
    expect(await settle(await offered(undefined), "10")).toMatchObject({ success: true });
    expect(await spent()).toBe(before + 12n);
  });

  test("a plan that requires it takes no bearer token, and says what to do", async () => {
    const credits = getDynamicCreditsConfig(1000n, 1n, 10n);
    const strict = await createMarket(service, { credits });
    const { payments } = strict.subscriber;
    await strict.builder.payments.plans.updatePlan(strict.planId, {
      creditsConfig: setHolderRequired(credits),
    });
    // Until they order the new version, subscribers keep the terms they have.
    const mint = () => payments.x402.getX402AccessToken(strict.planId, strict.agentId);
    await expect(mint()).resolves.toMatchObject({});
    await payments.plans.orderPlan(strict.planId);
    await expect(mint()).rejects.toMatchObject({
      code: "invalid_input",
      details: [{ path: "cnf", message: expect.stringContaining("payments.fetch") }],
    });
    const plan = await payments.plans.getPlan(strict.planId);
    expect(plan.registry.credits.holderRequired).toBe(true);
    const askFor = (x402AccessToken: string, proof?: RequestProof) =>
      service
        .call(strict.builder, "POST", "/x402/verify", {
          paymentRequired: requirementOf(strict),
          x402AccessToken,
          ...(proof && { proof }),
        })
        .then((response) => response.json());
    const refused = await askFor(strict.token);
    expect(refused).toMatchObject({ invalidReason: "invalid_token", cause: "holder_required" });
    expect(refused.invalidMessage).toContain("payments.fetch");
    const { accessToken } = await payments.x402.getX402AccessToken(strict.planId, strict.agentId, {
      cnf: { jwk: jwkOf(holder) },
    });
    expect(await askFor(accessToken)).toMatchObject({ cause: "not_signed" });
    const signed = await askFor(accessToken, signRequest(holder, accessToken));
    expect(signed).toMatchObject({ isValid: true });
  });

  test("a signature among those of others is found, and one that covers no body is no signature of one", async () => {
    const proof = signRequest(holder, token);
    const among: RequestProof = {
      ...proof,
      signatureInput: `cdn=("@path");created=1;tag="cdn", ${proof.signatureInput}`,
      signature: `cdn=:QUJD:, ${proof.signature}`,
    };
    expect(await verify(among)).toMatchObject({ isValid: true });
    const withBody = { ...signRequest(holder, token), contentDigest: "sha-256=:AAAA:" };
    expect(await verify(withBody)).toMatchObject({ cause: "key_mismatch" });
  });

  test("its owner may look at it without signing, and a bearer token needs no signature", async () => {
    const own = await ask("verify", {}, market.subscriber);
    expect(own).toMatchObject({ isValid: true });
    token = market.token;
    expect(await verify()).toMatchObject({ isValid: true });
  });
});
