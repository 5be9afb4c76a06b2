import { randomBytes, randomUUID } from "node:crypto";
import { createGate, createMemoryQueue } from "@turnpike/payments/gate";
import {
  decodeHeader,
  decodePaymentRequired,
  EXACT,
  encodeHeader,
  getCryptoPriceConfig,
  getExpirableDurationConfig,
  getFixedCreditsConfig,
  isExactOffer,
  MAX_UINT256,
  type PlanCreditsConfig,
  setHolderRequired,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  createPretendRail,
  pretendExact,
  testDeployment,
} from "@/lib/server/testing/pretend-rail.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";

import { resolveOrders } from "../orders/resolve-orders.ts";
import { supported } from "../permissions/supported.ts";
import { getPricedPlan } from "./priced-plan.ts";

const PRICE = 1_000_000n;
const URL_OF_ROUTE = "https://agent.test/ask";
const { usdc = "" } = testDeployment();

/** Which plans a wallet can buy by a request. The chain is pretended: every signature is good, every wallet is full. */
describe.each(ruleStores())("plans sold by exact on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;
  let stopped: string | null;
  const exactRail = { ...createPretendRail(), scheme: EXACT, takes: () => false };
  const work = vi.fn(async () => Response.json({ words: 3 }));

  beforeAll(async () => {
    database = await open();
    service = createTestService(database, {
      rails: [createPretendRail(), exactRail],
      exact: {
        ...pretendExact(),
        check: async ({ value }) => ({
          fault: null,
          balance: value * 10n,
          block: 1n,
          gas: 0,
          runsCode: false,
        }),
      },
      salesStop: () => stopped,
    });
    builder = await service.party();
  });
  beforeEach(() => {
    stopped = null;
    work.mockReset().mockImplementation(async () => Response.json({ words: 3 }));
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const fresh = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;

  /** A plan behind a gate, and a wallet that pays for requests to it. */
  async function shop({
    credits = getFixedCreditsConfig(1n),
    isTrial = false,
    isTime = false,
  } = {}) {
    const { plans } = builder.payments;
    const register = isTime ? plans.registerTimePlan : plans.registerCreditsPlan;
    const { planId } = await register(
      { name: "By wallet", isTrialPlan: isTrial },
      { ...getCryptoPriceConfig(PRICE, builder.address, usdc), currency: "USDC" },
      credits,
    );
    const open = () =>
      createGate(
        builder.payments,
        { "POST /ask": { planId, exact: true } },
        { queue: createMemoryQueue(), report: false, logger: { error: () => {} } as never },
      );
    const one = open();
    const call = (headers: Record<string, string> = {}, gate = one) =>
      gate(new Request(URL_OF_ROUTE, { method: "POST", body: "{}", headers }), work);
    const required = decodePaymentRequired((await call()).headers.get("payment-required") ?? "");
    const accepted = required?.accepts.find(isExactOffer);
    const from = fresh(20);
    const sign = ({ nonce = fresh(32), validBefore = 99_999_999_999 } = {}) =>
      encodeHeader({
        x402Version: 2,
        accepted,
        payload: {
          signature: fresh(65),
          authorization: {
            from,
            to: builder.address,
            value: PRICE.toString(),
            validAfter: "0",
            validBefore: validBefore.toString(),
            nonce,
          },
        },
      });
    const pay = (header = sign()) => call({ "payment-signature": header });
    const payReplica = (header: string) => call({ "payment-signature": header }, open());
    const { facilitator } = builder.payments;
    const verify = (options: object = {}) =>
      facilitator.verifyPermissions({
        paymentRequired: required as never,
        x402AccessToken: sign(),
        ...options,
      });
    const settle = (options: { x402AccessToken: string; agentRequestId: string }) =>
      facilitator.settlePermissions({ paymentRequired: required as never, ...options });
    return { planId, pay, payReplica, sign, verify, settle, accepted };
  }

  test("an archived plan is not sold, and its work is not done", async () => {
    const { planId, pay, verify } = await shop();
    await builder.payments.plans.archivePlan(planId);
    expect(await verify()).toMatchObject({ isValid: false, cause: "plan_archived" });
    expect((await pay()).status).toBe(402);
    expect(work).not.toHaveBeenCalled();
  });

  longTest(
    "without the contract that captures them, no payments are offered or begun",
    async () => {
      const { exact } = service.ports;
      if (!exact) throw new Error("Payments by exact are pretended.");
      const { pay, sign } = await shop();
      const isOffered = async () => {
        const { kinds } = await supported(builder.context);
        return kinds.some(({ scheme }) => scheme === EXACT);
      };
      expect(await isOffered()).toBe(true);
      const reserved = sign();
      work.mockImplementationOnce(async () => {
        exact.takesPayments = false;
        return Response.json({ words: 3 });
      });
      // What was reserved before is still settled.
      expect((await pay(reserved)).status).toBe(200);
      expect(await isOffered()).toBe(false);
      expect((await pay()).status).not.toBe(200);
      expect(work).toHaveBeenCalledTimes(1);
      const priced = getPricedPlan(builder.context, { price: "$0.01" });
      await expect(priced).rejects.toMatchObject({ code: "rail_unavailable" });
      exact.takesPayments = true;
    },
  );

  /** What runs while the chain is asked about the next authorization, which it then calls used. */
  function whileChecked(meanwhile: () => Promise<unknown>): void {
    const { exact } = service.ports;
    if (!exact) throw new Error("Payments by exact are pretended.");
    const { check } = exact;
    exact.check = async () => {
      exact.check = check;
      await meanwhile();
      return { fault: "authorization_used", balance: PRICE, block: 1n, gas: 0, runsCode: false };
    };
  }

  test("a payment that another replica captured during the check is a conflict, not a new offer", async () => {
    const { pay, payReplica, sign } = await shop();
    const header = sign();
    let first = 0;
    whileChecked(async () => {
      first = (await payReplica(header)).status;
    });
    expect([(await pay(header)).status, first]).toEqual([409, 200]);
    expect(work).toHaveBeenCalledTimes(1);
  });

  test("a settle that another one overtook during the check gets its settlement", async () => {
    const { sign, settle } = await shop();
    const options = { x402AccessToken: sign(), agentRequestId: randomUUID() };
    let first: object = {};
    whileChecked(async () => {
      first = await settle(options);
    });
    const second = await settle(options);
    expect(first).toMatchObject({ success: true });
    expect(second).toEqual(first);
  });

  test("another's draft is not sold", async () => {
    const { planId, pay, verify } = await shop();
    await builder.payments.plans.updatePlan(planId, { state: "draft" });
    expect(await verify()).toMatchObject({ isValid: false, cause: "plan_archived" });
    expect((await pay()).status).toBe(402);
    expect(work).not.toHaveBeenCalled();
  });

  test("a request whose payment is reserved is settled though the plan is archived meanwhile", async () => {
    const { planId, pay } = await shop();
    work.mockImplementationOnce(async () => {
      await builder.payments.plans.archivePlan(planId);
      return Response.json({ words: 3 });
    });
    expect((await pay()).status).toBe(200);
  });

  test("a released payment reserves nothing of a plan that was archived meanwhile", async () => {
    const { planId, pay, sign } = await shop();
    const header = sign();
    work.mockImplementationOnce(async () => new Response("no", { status: 500 }));
    expect((await pay(header)).status).toBe(500);
    await builder.payments.plans.archivePlan(planId);
    expect((await pay(header)).status).toBe(402);
    expect(work).toHaveBeenCalledTimes(1);
  });

  /** An authorization that its wallet signs several times, and until when the one that is captured was signed. */
  async function signsAgain() {
    const { sign, ...rest } = await shop();
    const nonce = fresh(32);
    let id = "";
    const { exact } = service.ports;
    if (!exact) throw new Error("Payments by exact are pretended.");
    const { check } = exact;
    exact.check = async (payment) => {
      exact.check = check;
      ({ id } = payment);
      return check(payment);
    };
    const until = async () => Number((await service.ports.authorizations.find(id))?.validBefore);
    const signUntil = (validBefore: number) =>
      sign({ nonce, validBefore: 9_000_000_000 + validBefore });
    return { ...rest, signUntil, until: async () => (await until()) - 9_000_000_000 };
  }

  test("what a wallet signed again after its work failed is captured", async () => {
    const { pay, signUntil, until } = await signsAgain();
    work.mockImplementationOnce(async () => new Response("no", { status: 500 }));
    expect((await pay(signUntil(300))).status).toBe(500);
    expect(await until()).toBe(300);
    expect((await pay(signUntil(580))).status).toBe(200);
    expect(await until()).toBe(580);
  });

  test("what ends earlier than what the wallet signed before is refused before the work", async () => {
    const { pay, signUntil, until } = await signsAgain();
    work.mockImplementationOnce(async () => new Response("no", { status: 500 }));
    expect((await pay(signUntil(300))).status).toBe(500);
    expect((await pay(signUntil(299))).status).toBe(402);
    expect(work).toHaveBeenCalledTimes(1);
    expect(await until()).toBe(300);
    expect((await pay(signUntil(300))).status).toBe(200);
  });

  /** Lets the reservations end that are there now. */
  async function outlast() {
    service.ports.clock.advance(310);
    await service.ports.ledger.sweep();
  }

  test("what a wallet signs again while its payment is captured is refused before the work", async () => {
    const { pay, verify, settle, signUntil, until } = await signsAgain();
    const first = { x402AccessToken: signUntil(300), agentRequestId: "a_request_being_captured" };
    expect(await verify({ ...first, reserve: true })).toMatchObject({ isValid: true });
    await outlast();
    const again: unknown[] = [];
    const { charge } = exactRail;
    exactRail.charge = async (...order) => {
      exactRail.charge = charge;
      again.push((await pay(signUntil(580))).status, await until());
      return charge(...order);
    };
    expect(await settle(first)).toMatchObject({ success: true });
    // While the outcome is not known, no other payment is asked for.
    expect(again).toEqual([503, 300]);
    expect(work).not.toHaveBeenCalled();
  });

  test("a payment that could not be captured is refused before the work of another request", async () => {
    const { pay, verify, signUntil } = await signsAgain();
    const { charge } = exactRail;
    exactRail.charge = async () => {
      exactRail.charge = charge;
      return { status: "refused", code: "insufficient_funds", message: "The wallet is empty." };
    };
    const first = signUntil(300);
    expect((await pay(first)).status).toBe(402);
    await outlast();
    for (const x402AccessToken of [first, signUntil(580)]) {
      const request = { x402AccessToken, agentRequestId: randomUUID(), reserve: true };
      const refused = { isValid: false, cause: "authorization_used" };
      expect(await verify(request)).toMatchObject(refused);
    }
  });

  test("a settle of what was released is told so", async () => {
    const { sign, verify, settle } = await shop();
    const x402AccessToken = sign();
    const held = await verify({ x402AccessToken, reserve: true });
    const agentRequestId = held.isValid ? (held.agentRequestId ?? "") : "";
    await builder.payments.facilitator.releasePermissions({ agentRequestId });
    await expect(settle({ x402AccessToken, agentRequestId })).rejects.toMatchObject({
      code: "idempotency_conflict",
      details: [{ path: "agentRequestId", message: "released" }],
    });
  });

  /** A request that was released before the outcome of its capture was known; `include` puts the capture into a block. */
  async function withheld() {
    const sold = await shop();
    const { exact } = service.ports;
    if (!exact) throw new Error("Payments by exact are pretended.");
    const agentRequestId = `req_${randomUUID()}`;
    const requestDigest = fresh(32);
    const request = { x402AccessToken: sold.sign(), agentRequestId, requestDigest };
    await sold.verify({ ...request, reserve: true });
    const silent = async () => {
      throw new Error("The node does not answer.");
    };
    const charge = vi.spyOn(exactRail, "charge").mockImplementation(silent);
    await expect(sold.settle(request)).rejects.toMatchObject({ code: "outcome_unknown" });
    await builder.payments.facilitator.releasePermissions({ agentRequestId });
    const check = vi.spyOn(exact, "check").mockResolvedValue({
      fault: "authorization_used",
      balance: PRICE,
      block: 1n,
      gas: 0,
      runsCode: false,
    });
    const restore = () => {
      charge.mockRestore();
      check.mockRestore();
    };
    return { ...sold, request, include: () => charge.mockRestore(), restore };
  }

  test("a request whose capture was unknown until it was released is answered for what the capture paid", async () => {
    const { request, verify, settle, include, restore } = await withheld();
    await expect(verify({ ...request, reserve: true })).rejects.toMatchObject({
      code: "outcome_unknown",
    });
    include();
    expect(await verify({ ...request, reserve: true })).toMatchObject({ isValid: true });
    const settled = { success: true, creditsRedeemed: "1", remainingBalance: "0" };
    expect(await settle(request)).toMatchObject(settled);
    await expect(verify({ ...request, reserve: true })).rejects.toMatchObject({
      code: "idempotency_conflict",
    });
    restore();
  });

  test("what a capture paid for one request is not given to another", async () => {
    const { request, verify, include, restore } = await withheld();
    include();
    await service.ports.clock.advance(60);
    await resolveOrders(service.ports);
    const other = { agentRequestId: `req_${randomUUID()}` };
    const others = [other, { requestDigest: undefined }, { agentRequestId: undefined }];
    for (const changed of others) {
      expect(await verify({ ...request, ...changed, reserve: true })).toMatchObject({
        isValid: false,
        cause: "authorization_used",
      });
    }
    restore();
  });

  test("a trial is sold once to a wallet, also by requests at the same time", async () => {
    const { pay, sign, verify } = await shop({ isTrial: true });
    const first = sign();
    const others: Response[] = [];
    work.mockImplementationOnce(async () => {
      others.push(await pay(), await pay());
      return Response.json({ words: 3 });
    });
    expect((await pay(first)).status).toBe(200);
    expect(others.map(({ status }) => status)).toEqual([402, 402]);
    expect(await verify()).toMatchObject({ isValid: false, cause: "trial_used_up" });
    const used = await verify({ reserve: true, agentRequestId: "trial_request_once_more" });
    expect(used).toMatchObject({ isValid: false, cause: "trial_used_up" });
    expect(work).toHaveBeenCalledTimes(1);
  });

  test("a trial whose work failed can be bought again", async () => {
    const { pay } = await shop({ isTrial: true });
    work.mockImplementationOnce(async () => new Response("no", { status: 500 }));
    expect((await pay()).status).toBe(500);
    expect((await pay()).status).toBe(200);
  });

  test("while sales are stopped no work is done, and what is reserved stays so", async () => {
    const { pay, sign } = await shop();
    stopped = "the ledger differs";
    const header = sign();
    expect((await pay(header)).status).toBe(503);
    expect(work).not.toHaveBeenCalled();
    stopped = null;
    expect((await pay(header)).status).toBe(200);
  });

  test("a reserved payment is captured while sales are stopped, and nothing new is reserved", async () => {
    const { sign, verify, settle } = await shop();
    const request = () => ({ x402AccessToken: sign(), agentRequestId: randomUUID() });
    const [first, second] = [request(), request()];
    expect(await verify({ ...first, reserve: true })).toMatchObject({ isValid: true });
    stopped = "the ledger differs";
    expect(await settle(first)).toMatchObject({ success: true, creditsRedeemed: "1" });
    await expect(verify({ ...second, reserve: true })).rejects.toMatchObject({
      code: "unavailable",
    });
    await expect(settle(second)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("the order of a reserved payment has the price and version that its wallet signed", async () => {
    const { planId, sign, verify, settle } = await shop();
    const request = { x402AccessToken: sign(), agentRequestId: randomUUID() };
    expect(await verify({ ...request, reserve: true })).toMatchObject({ isValid: true });
    const priceConfig = getCryptoPriceConfig(7n * PRICE, builder.address, usdc);
    await builder.payments.plans.updatePlan(planId, {
      priceConfig: { ...priceConfig, currency: "USDC" },
    });
    expect(await settle(request)).toMatchObject({ success: true, amount: `${PRICE}` });
    const orders = await database.query(
      "select price, cents, plan_version as version from orders where plan_id = $1",
      [planId],
    );
    expect(orders).toEqual([{ price: PRICE, cents: 100n, version: 1 }]);
  });

  test("an order costs what its wallet signed, whatever amount settle is sent", async () => {
    const { planId, sign, verify, settle } = await shop();
    const x402AccessToken = sign();
    const request = { x402AccessToken, agentRequestId: randomUUID() };
    expect(await verify({ ...request, reserve: true })).toMatchObject({ isValid: true });
    const sent = decodeHeader(x402AccessToken) as { payload: { authorization: object } };
    Object.assign(sent.payload.authorization, { value: `${PRICE * 1000n}` });
    const settled = await settle({ ...request, x402AccessToken: encodeHeader(sent) });
    expect(settled).toMatchObject({ success: true, amount: `${PRICE}` });
    const orders = await database.query("select price from orders where plan_id = $1", [planId]);
    expect(orders).toEqual([{ price: PRICE }]);
  });

  test("a wallet whose payment was only reserved is no customer", async () => {
    const { planId, pay } = await shop({ credits: getFixedCreditsConfig(10n) });
    const read = async () => {
      const { subscribers } = await builder.figures.getPlanFigures({ planId });
      const [version] = (await builder.figures.listPlanVersions({ planId })).items;
      const customers = await builder.figures.listCustomers({ planId });
      const listed = await builder.payments.plans.listSubscribers(planId);
      return [subscribers, version?.subscribers, customers.total, listed.total];
    };
    work.mockImplementationOnce(async () => new Response("no", { status: 500 }));
    expect((await pay()).status).toBe(500);
    expect(await read()).toEqual([0, 0, 0, 0]);
    expect((await pay()).status).toBe(200);
    expect(await read()).toEqual([1, 1, 1, 1]);
  });

  test("a plan without bearer tokens is sold only where a request takes all of an order", async () => {
    const bound = setHolderRequired(getFixedCreditsConfig(100n, 1n));
    expect((await shop({ credits: bound })).accepted).toBeUndefined();
    const month = setHolderRequired(getExpirableDurationConfig(2_592_000n));
    expect((await shop({ credits: month, isTime: true })).accepted).toBeUndefined();
    const whole = await shop({ credits: setHolderRequired(getFixedCreditsConfig(1n, 1n)) });
    expect((await whole.pay()).status).toBe(200);
    const { planId, pay, verify } = await shop({ credits: getFixedCreditsConfig(100n, 1n) });
    work.mockImplementationOnce(async () => {
      await builder.payments.plans.updatePlan(planId, { creditsConfig: bound });
      return Response.json({ words: 3 });
    });
    // Reserved before the change, its rest can be used as it was offered.
    const paid = decodeHeader((await pay()).headers.get("payment-response") ?? "");
    expect(paid).toMatchObject({ extensions: { credits: { info: { credits: "99" } } } });
    expect(await verify()).toMatchObject({ isValid: false, cause: "holder_required" });
    expect((await pay()).status).toBe(402);
    expect(work).toHaveBeenCalledTimes(2);
  });

  test("credits that the wallet's balance cannot hold are not sold", async () => {
    const credits: PlanCreditsConfig = getFixedCreditsConfig(MAX_UINT256 - 1n, 1n);
    const { pay, verify } = await shop({ credits });
    expect((await pay()).status).toBe(200);
    const answer = await verify({ reserve: true, agentRequestId: "a_request_for_too_much" });
    expect(answer).toMatchObject({ isValid: false, cause: "balance_full" });
    expect((await pay()).status).toBe(402);
    expect(work).toHaveBeenCalledTimes(1);
  });

  test("a reserved payment is settled with its authorization: the record of its hold moves no money", async () => {
    const { sign, verify, settle } = await shop();
    const request = { x402AccessToken: sign(), agentRequestId: "a_request_by_its_record" };
    expect(await verify({ ...request, reserve: true })).toMatchObject({ isValid: true });
    const { requests } = builder.payments;
    const byRecord = requests.settleRequest(request.agentRequestId);
    await expect(byRecord).rejects.toMatchObject({ code: "conflict" });
    expect(await settle(request)).toMatchObject({ success: true, creditsRedeemed: "1" });
  });

  test("a verify that is sent again is no repeat within its attempt, and one of another attempt is", async () => {
    const { sign, verify } = await shop();
    const request = {
      x402AccessToken: sign(),
      agentRequestId: "a_request_tried_twice",
      reserve: true,
    };
    const [own, other] = ["attempt_of_this_gate", "attempt_of_another"];
    for (const attemptId of [own, own])
      expect(await verify({ ...request, attemptId })).not.toHaveProperty("isRepeat");
    expect(await verify({ ...request, attemptId: other })).toMatchObject({ isRepeat: true });
    expect(await verify(request)).toMatchObject({ isRepeat: true });
  });

  test("nothing is captured for a request that was written off after its reservation expired", async () => {
    const { sign, verify, settle } = await shop();
    const request = { x402AccessToken: sign(), agentRequestId: "a_request_written_off" };
    expect(await verify({ ...request, reserve: true })).toMatchObject({ isValid: true });
    service.ports.clock.advance(310);
    await service.ports.ledger.sweep();
    await builder.payments.requests.writeOffRequest(request.agentRequestId);
    await expect(settle(request)).rejects.toMatchObject({ code: "idempotency_conflict" });
  });

  test("a wallet's second payment is taken while its first one is being settled", async () => {
    const { pay, verify } = await shop();
    const { ledger } = service.ports;
    const { settle } = ledger;
    let second: unknown;
    ledger.settle = async (row) => {
      ledger.settle = settle;
      second = await verify({ reserve: true, agentRequestId: "a_second_request_meanwhile" });
      return settle(row);
    };
    expect((await pay()).status).toBe(200);
    expect(second).toMatchObject({ isValid: true });
  });

  test.each([
    ["time", { isTime: true, credits: getExpirableDurationConfig(60n) }],
    ["credits that expire", { credits: { ...getFixedCreditsConfig(5n), durationSecs: 60n } }],
  ])("a wallet buys a plan again after its %s expired", async (_, plan) => {
    const { planId, pay, sign, verify, settle } = await shop(plan);
    expect((await pay()).status).toBe(200);
    service.ports.clock.advance(61);
    const request = { x402AccessToken: sign(), agentRequestId: `again_${planId}` };
    expect(await verify({ ...request, reserve: true })).toMatchObject({ isValid: true });
    expect(await settle(request)).toMatchObject({ success: true });
    expect((await pay()).status).toBe(200);
  });

  test("two wallets that reserve one request id at once: the second one is told of the conflict", async () => {
    const { verify } = await shop();
    const other = await shop();
    const request = { reserve: true, agentRequestId: "an_id_of_two_wallets" };
    const { ledger } = service.ports;
    const { hold } = ledger;
    ledger.hold = async (row) => {
      ledger.hold = hold;
      expect(await other.verify(request)).toMatchObject({ isValid: true });
      return hold(row);
    };
    await expect(verify(request)).rejects.toMatchObject({ code: "idempotency_conflict" });
  });

  test("a refund of a call that was paid by exact returns its credits, which are burned nowhere else", async () => {
    const { pay, planId } = await shop({ credits: getFixedCreditsConfig(10n, 1n) });
    expect((await pay()).status).toBe(200);
    const [call] = await database.query<{ id: string }>(
      "select agent_request_id as id from settlements where plan_id = $1",
      [planId],
    );
    const refund = builder.payments.money.createRefund({ agentRequestId: call?.id ?? "" });
    expect(await refund).toMatchObject({ status: "paid", credits: "1" });
  });
});
