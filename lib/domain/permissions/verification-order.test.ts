import {
  buildPaymentRequired,
  type Environment,
  getDynamicCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { countRows } from "@/lib/server/testing/count-rows.ts";
import { requirementOf } from "@/lib/server/testing/operation-samples.ts";
import {
  createPermissionCalls,
  type Question,
  tampered,
} from "@/lib/server/testing/permission-calls.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

/**
 * The order of checks: key, form, environment, signature, known and alive, time, plan, agent, amount,
 * limits and balance. Each row fails one of them and, where it can, everything after it.
 */
describe.each(ruleStores())(
  "T13: the order of verification, at verify and at settle, on $name",
  ({ open }) => {
    let database: Database;
    let service: TestService;
    let market: TestMarket;
    let calls: ReturnType<typeof createPermissionCalls>;
    let stranger: TestParty;

    beforeAll(async () => {
      database = await open();
      service = createTestService(database);
      stranger = await service.party();
      market = await createMarket(service, { credits: getDynamicCreditsConfig(100n, 2n, 10n) });
      calls = createPermissionCalls(service, market);
    });
    afterAll(async () => {
      expect(await brokenRules(database)).toEqual([]);
      await database.close();
    });

    const elsewhere = () =>
      buildPaymentRequired({
        planId: "424242",
        agentId: "999",
        endpoint: "https://agent.example/other",
        httpVerb: "GET",
      });
    const forged = () =>
      tampered(market.token, ({ payload }) => {
        payload.authorization.exp = 1;
      });
    /** Everything that is checked after the plan is wrong too. */
    const wrongAfterPlan = (): Question => ({ requirement: elsewhere(), maxAmount: "99999" });

    async function refusedAlike(question: Question, code: string) {
      const before = await countRows(database);
      expect(await calls.codes(question)).toEqual({ verify: code, settle: code });
      expect(await countRows(database)).toEqual(before);
    }

    test("(a) no key or a wrong one is 401, before the token is looked at", async () => {
      const body = { paymentRequired: elsewhere(), x402AccessToken: "garbage" };
      for (const path of ["/x402/verify", "/x402/settle"]) {
        const answer = await service.call(null, "POST", path, body);
        expect([answer.status, (await answer.json()).code]).toEqual([401, "unauthorized"]);
        const unknown = { ...stranger, apiKey: `${stranger.apiKey}x` };
        const wrong = await service.call(unknown, "POST", path, body);
        expect([wrong.status, (await wrong.json()).code]).toEqual([401, "unauthorized"]);
        const live = { ...stranger, apiKey: stranger.apiKey.replace("sandbox", "live") };
        const other = await service.call(live, "POST", path, body);
        expect([other.status, (await other.json()).code]).toEqual([401, "wrong_environment"]);
      }
    });

    test.each([
      ["nothing", ""],
      ["no base64", "not base64!"],
      ["no JSON", Buffer.from("{").toString("base64")],
      ["no token", Buffer.from('{"a":1}').toString("base64")],
      ["deep JSON", Buffer.from(`${"[".repeat(2000)}${"]".repeat(2000)}`).toString("base64")],
      ["a NUL", Buffer.from("\0\0\0").toString("base64")],
      ["bytes that are no text", Buffer.from([0xff, 0xfe, 0xfd]).toString("base64")],
    ])("(b) a token that is %s is invalid_token, whatever else is wrong", async (_what, token) => {
      await refusedAlike({ token, ...wrongAfterPlan() }, "invalid_token");
    });

    /** The market's token for this environment, signed by its own session key. */
    async function signedFor(environment: Environment) {
      const [key] = await database.query<{ session_key: string }>(
        "select session_key from delegations join tokens using (delegation_id) where jti = $1",
        [market.tokenId],
      );
      return tampered(market.token, (token) => {
        token.payload.authorization.aud = environment;
        const sealed = key?.session_key ?? "";
        token.signature = service.ports.crypto.signToken(token.payload, sealed);
        token.payload.signature = token.signature;
      });
    }

    test("T30: (c) a token of another environment is invalid_token, however well it is signed", async () => {
      expect(await signedFor("sandbox")).toBe(market.token);
      const token = await signedFor("live");
      await refusedAlike({ token }, "invalid_token");
      await refusedAlike({ token, ...wrongAfterPlan() }, "invalid_token");
    });

    test("T08: (d) a forged expiry is invalid_token, not expired_token: the signature comes first", async () => {
      await refusedAlike({ token: forged(), ...wrongAfterPlan() }, "invalid_token");
    });

    test("(e) a revoked token is invalid_token, whatever else is wrong", async () => {
      const { accessToken, tokenId } = await market.subscriber.payments.x402.getX402AccessToken(
        market.planId,
        market.agentId,
      );
      await service.call(market.subscriber, "DELETE", `/x402/permissions/${tokenId}`);
      await refusedAlike({ token: accessToken, ...wrongAfterPlan() }, "invalid_token");
    });

    test("T03: (g) a plan the agent does not offer is invalid_plan, before agent and amount", async () => {
      await refusedAlike(wrongAfterPlan(), "invalid_plan");
    });

    test("T02: (g) a caller who does not own the plan gets invalid_plan", async () => {
      await refusedAlike({ caller: stranger, maxAmount: "99999" }, "invalid_plan");
    });

    test("(g) a plan offered by another scheme or on another network is invalid_plan", async () => {
      const requirement = requirementOf(market);
      const [offer] = requirement.accepts;
      if (!offer) throw new Error("no offer");
      for (const wrong of [{ scheme: "svc:card-delegation" }, { network: "eip155:1" }]) {
        const other = { ...requirement, accepts: [{ ...offer, ...wrong }] };
        await refusedAlike({ requirement: other, maxAmount: "99999" }, "invalid_plan");
      }
    });

    test("(h) another agent, endpoint or verb is invalid_agent, before the amount", async () => {
      const { planId, agentId, endpoint } = market;
      const { agentId: foreign } = await stranger.payments.agents.registerAgent(
        { name: "Other" },
        {},
      );
      const { agentId: unlinked } = await market.builder.payments.agents.registerAgent(
        { name: "Unlinked" },
        {},
      );
      const wrong = [
        { agentId: foreign, endpoint, httpVerb: "POST" },
        { agentId: unlinked, endpoint, httpVerb: "POST" },
        { agentId: "no-such-agent", endpoint, httpVerb: "POST" },
        { agentId, endpoint: "https://agent.example/other", httpVerb: "POST" },
        { agentId, endpoint: `${endpoint}/more`, httpVerb: "POST" },
        { agentId, endpoint: "https://agent.example/%zz", httpVerb: "POST" },
        { agentId, endpoint, httpVerb: "GET" },
      ];
      for (const one of wrong) {
        const requirement = buildPaymentRequired({ planId, ...one });
        await refusedAlike({ requirement, maxAmount: "99999" }, "invalid_agent");
      }
    });

    test("(h) a token without an agent does not open a foreign or unlinked agent either", async () => {
      const { planId, endpoint } = market;
      const { accessToken } = await market.subscriber.payments.x402.getX402AccessToken(planId);
      const { agentId } = await stranger.payments.agents.registerAgent({ name: "Other" }, {});
      const requirement = buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" });
      await refusedAlike({ token: accessToken, requirement }, "invalid_agent");
    });

    test("T04: (h) a token bound to a resource or a verb opens no other, origins aside", async () => {
      const { planId, agentId, subscriber } = market;
      const bound = async (binding: object) =>
        (await subscriber.payments.x402.getX402AccessToken(planId, agentId, binding)).accessToken;
      const [byPath, byVerb] = [
        await bound({ resource: "https://agent.example/elsewhere" }),
        await bound({ httpVerb: "PUT" }),
      ];
      await refusedAlike({ token: byPath, maxAmount: "99999" }, "invalid_agent");
      await refusedAlike({ token: byVerb, maxAmount: "99999" }, "invalid_agent");
      const accepted = { planId, extra: { httpVerb: "put", agentId } };
      const minted = await service.call(subscriber, "POST", "/x402/permissions", { accepted });
      const { accessToken: byOffer } = await minted.json();
      await refusedAlike({ token: byOffer, maxAmount: "99999" }, "invalid_agent");
      const fitting = await bound({ resource: "http://inside:8080/ask?x=1", httpVerb: "post" });
      expect((await calls.verify({ token: fitting })).body).toMatchObject({ isValid: true });
    });

    test("T15: (i) an amount outside the plan's range is 422 and names it, before limits and balance", async () => {
      const poor = await createMarket(service, {
        credits: getDynamicCreditsConfig(100n, 2n, 10n),
        order: false,
      });
      const { verify, settle } = createPermissionCalls(service, poor);
      for (const maxAmount of ["0", "1", "11", (2n ** 256n - 1n).toString()]) {
        const before = await countRows(database);
        for (const answer of [await verify({ maxAmount }), await settle({ maxAmount })]) {
          expect([answer.status, (answer.body as { code?: string }).code]).toEqual([
            422,
            "invalid_amount",
          ]);
          expect(answer.body).toMatchObject({ details: [{ path: "maxAmount" }] });
        }
        expect(await countRows(database)).toEqual(before);
      }
    });

    test.each(["-1", "1.5", "1e1", "0x5", " 5", "+5", "05", "", "٣", (2n ** 256n).toString()])(
      "(i) the amount %j is not a whole number: 422",
      async (maxAmount) => {
        for (const answer of [
          await calls.verify({ maxAmount }),
          await calls.settle({ maxAmount }),
        ]) {
          expect(answer).toMatchObject({
            status: 422,
            body: { code: "invalid_input", details: [{ path: "maxAmount" }] },
          });
        }
      },
    );

    test("(j) a used-up limit comes before an empty balance, both are insufficient_balance", async () => {
      const poor = await createMarket(service, {
        credits: getDynamicCreditsConfig(10n, 2n, 10n),
        redemptionLimit: 1,
      });
      const poorCalls = createPermissionCalls(service, poor);
      expect((await poorCalls.settle({ maxAmount: "10" })).body).toMatchObject({ success: true });
      const { body } = await poorCalls.verify();
      expect(body).toMatchObject({
        invalidReason: "insufficient_balance",
        detail: "redemption_limit",
      });
      const { accessToken } = await poor.subscriber.payments.x402.getX402AccessToken(
        poor.planId,
        poor.agentId,
      );
      const empty = await poorCalls.verify({ token: accessToken });
      expect(empty.body).toMatchObject({
        invalidReason: "insufficient_balance",
        detail: "no_credits",
      });
    });

    test("T57: a finer detail goes to the plan's owner alone, and tells a stranger nothing of the buyer", async () => {
      const ofOwner = await calls.verify({ requirement: elsewhere() });
      expect(ofOwner.body).toMatchObject({ isValid: false, detail: "plan_not_offered" });
      const ofStranger = [
        await calls.verify({ caller: stranger }),
        await calls.settle({ caller: stranger }),
        await calls.verify({ caller: stranger, requirement: elsewhere() }),
      ];
      for (const { body } of ofStranger) {
        expect(Object.keys(body)).not.toContain("detail");
        expect(JSON.stringify(body)).not.toContain(market.subscriber.address);
      }
    });

    test("T57: to a stranger a bad signature, an unknown plan and a low balance look alike but for the code", async () => {
      const { planId } = await stranger.payments.plans.registerCreditsPlan(
        { name: "Strange" },
        getFreePriceConfig(),
        getDynamicCreditsConfig(1n, 1n, 1n),
      );
      const known = await calls.verify({ caller: stranger });
      const offered = await calls.verify({
        caller: stranger,
        requirement: buildPaymentRequired({ planId, endpoint: market.endpoint }),
      });
      const unsigned = await calls.verify({ caller: stranger, token: forged() });
      expect(known.body).toEqual(offered.body);
      expect(Object.keys(unsigned.body).sort()).toEqual(Object.keys(known.body).sort());
    });
  },
);
