import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { freshId } from "@/lib/server/testing/operation-samples.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import type { Ports } from "../ports.ts";
import { askApproval } from "./ask-approval.ts";
import { createBudgetMarket, limits, mintFor, spentBy } from "./testing/budget-market.ts";

const ROUNDS = inFull(100, 4);
const CROWD = inFull(300, 20);

// In full, 300 requests at once take the embedded database most of a minute.
describe.each(ruleStores())(
  "approvals on $name",
  { timeout: inFull(240_000, 30_000) },
  ({ open }) => {
    let database: Database;
    let service: TestService;

    beforeAll(async () => {
      database = await open();
      service = createTestService(database);
    });
    afterAll(async () => {
      expect(await brokenRules(database)).toEqual([]);
      await database.close();
    });

    const held = () => ({ agentRequestId: freshId(), reserve: true });
    const asking = async (rule: object = { above: 50n }) => {
      const made = await createBudgetMarket(service);
      const { budgets } = made.market.subscriber.payments;
      await budgets.setBudgets({ approval: rule });
      return { ...made, budgets };
    };
    type Calls = Awaited<ReturnType<typeof createBudgetMarket>>["calls"];
    const askedBy = async (calls: Calls): Promise<string> => {
      const { body } = await calls.verify(held());
      expect(body).toMatchObject({ isValid: false, cause: "pending_approval" });
      return "approval" in body ? (body.approval?.approvalId ?? "") : "";
    };

    test("a request above the amount waits for a person, once however often it is sent", async () => {
      const { calls, budgets, market } = await asking();
      const answers = await Promise.all(Array.from({ length: CROWD }, () => calls.verify(held())));
      const ids = answers.map(({ body }) =>
        "approval" in body ? body.approval?.approvalId : null,
      );
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      expect(new Set(ids).size).toBe(1);
      const { items } = await budgets.listApprovals({ status: "pending" });
      expect(items).toMatchObject([
        {
          approvalId: ids[0],
          status: "pending",
          reason: "amount",
          planId: market.planId,
          call: "POST /ask",
          maxCents: "100",
          // Budgets count it in cents of the dollar; the plan is paid in USDC.
          currency: "usdc",
          maxCredits: "10",
          history: { orders: 0, approved: 0, declined: 0 },
        },
      ]);
      expect(answers[0]?.body).toMatchObject({
        approval: { url: `${service.ports.origin}/approvals/${ids[0]}` },
      });
      expect(await spentBy(service, market.subscriber)).toEqual({ cents: 0, credits: 0 });
    });

    test("an approved request passes once, and only by the token that asked", async () => {
      const { calls, budgets, market } = await asking();
      const other = await mintFor(service, market);
      await budgets.approveRequest(await askedBy(calls));
      expect((await other.calls.verify(held())).body).toMatchObject({ cause: "pending_approval" });
      const answers = await Promise.all(Array.from({ length: CROWD }, () => calls.verify(held())));
      expect(answers.filter(({ body }) => body.isValid)).toHaveLength(1);
      expect((await spentBy(service, market.subscriber)).cents).toBe(100);
      expect(await askedBy(calls)).not.toBe("");
    });

    test("a declined request is refused until the time to decide is over, then it may ask again", async () => {
      const { calls, budgets } = await asking({ above: 50n, minutes: 1 });
      const approvalId = await askedBy(calls);
      expect(await budgets.declineRequest(approvalId)).toMatchObject({ status: "declined" });
      expect((await calls.verify(held())).body).toMatchObject({ cause: "approval_declined" });
      await service.ports.clock.advance(61);
      expect(await askedBy(calls)).not.toBe(approvalId);
    });

    test("nothing can be decided or passes after it expired", async () => {
      const { calls, budgets } = await asking({ above: 50n, minutes: 1 });
      const first = await askedBy(calls);
      await service.ports.clock.advance(61);
      await expect(budgets.approveRequest(first)).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("has expired"),
      });
      expect(await budgets.getApproval(first)).toMatchObject({ status: "expired" });
      const second = await askedBy(calls);
      await budgets.approveRequest(second);
      await service.ports.clock.advance(61);
      expect(await askedBy(calls)).not.toBe(second);
    });

    test("an approval expires at the latest with the token that asked", async () => {
      const { market, budgets } = await asking({ above: 50n, minutes: 10_080 });
      const { calls, tokenId } = await mintFor(service, market, { durationSecs: 3_600 });
      const approvalId = await askedBy(calls);
      const token = await market.subscriber.payments.tokens.getToken(tokenId);
      expect(await budgets.getApproval(approvalId)).toMatchObject({ expiresAt: token.expiresAt });
      expect(await budgets.approveRequest(approvalId)).toMatchObject({
        expiresAt: token.expiresAt,
      });
    });

    test("what waits ends when its token or delegation is revoked, and only that", async () => {
      const { market, calls, budgets } = await asking();
      const { tokens, delegation } = market.subscriber.payments;
      const [one, two] = [await mintFor(service, market), await mintFor(service, market)];
      const pending = [await askedBy(one.calls), await askedBy(two.calls)];
      const kept = await askedBy(calls);
      await budgets.approveRequest(pending[1] ?? "");
      await tokens.revokeToken(one.tokenId);
      await delegation.revokeDelegation(two.delegationId);
      for (const approvalId of pending) {
        expect(await budgets.getApproval(approvalId)).toMatchObject({ status: "expired" });
        await expect(budgets.approveRequest(approvalId)).rejects.toMatchObject({
          message: expect.stringContaining("has expired"),
        });
      }
      const { items } = await budgets.listApprovals({ status: "pending" });
      expect(items.map(({ approvalId }) => approvalId)).toEqual([kept]);
    });

    test("approving and declining at once, by link and by page, is one decision with one note", async () => {
      const { calls, budgets, market } = await asking();
      for (let round = 0; round < ROUNDS; round++) {
        const { approvalId, secret } = await askWithLink(service.ports, market, `POST /${round} `);
        const outcomes = await Promise.allSettled([
          budgets.approveRequest(approvalId),
          budgets.declineRequest(approvalId),
          budgets.approveRequest(approvalId, { secret }),
          budgets.declineRequest(approvalId, { secret }),
          budgets.approveRequest(approvalId),
        ]);
        const made = outcomes.filter(({ status }) => status === "fulfilled");
        expect(made).toHaveLength(1);
        await expect(budgets.approveRequest(approvalId, { secret })).rejects.toMatchObject({
          code: "conflict",
        });
        const notes = await database.query<{ action: string; keyId: string }>(
          `select action, key_id as "keyId" from audit where subject = $1`,
          [approvalId],
        );
        const { status } = await budgets.getApproval(approvalId);
        expect(notes).toEqual([{ action: `approval.${status}`, keyId: expect.any(String) }]);
      }
      expect((await calls.verify()).body).toMatchObject({ cause: "pending_approval" });
    });

    test("T05: a link of another notice, a stranger and a key that buys decide nothing", async () => {
      const { market, budgets } = await asking();
      const { approvalId } = await askWithLink(service.ports, market, "POST /a ");
      await expect(budgets.approveRequest(approvalId, { secret: "x" })).rejects.toMatchObject({
        code: "conflict",
      });
      const stranger = await service.party();
      for (const decide of ["approve", "decline"]) {
        const path = `/approvals/${approvalId}/${decide}`;
        expect((await service.call(stranger, "POST", path, {})).status).toBe(404);
        expect((await service.call(null, "POST", path, {})).status).toBe(401);
        expect((await service.call(market.builder, "POST", path, {})).status).toBe(404);
      }
      expect(await budgets.getApproval(approvalId)).toMatchObject({ status: "pending" });
      const [row] = await database.query<{ hash: string }>(
        "select secret_hash as hash from approvals where approval_id = $1",
        [approvalId],
      );
      expect(row?.hash).toHaveLength(64);
    });

    test("one builder's requests leave room for those of others", async () => {
      const { budgets, market } = await asking();
      const { address: account } = market.subscriber;
      const askFor = (builder: string, path: string) =>
        askApproval(service.ports, {
          account,
          jti: market.tokenId,
          delegationId: null,
          subject: `POST ${path} `,
          planId: market.planId,
          builder,
          agentId: null,
          reason: "amount",
          maxCents: 100n,
          currency: "usd",
          maxCredits: 10n,
        });
      const { builder } = market;
      for (let n = 0; n < 10; n++) expect(await askFor(builder.address, `/${n}`)).not.toBeNull();
      expect(await askFor(builder.address, "/10")).toBeNull();
      expect(await askFor(builder.address, "/9")).not.toBeNull();
      const other = await service.party();
      expect(await askFor(other.address, "/ask")).not.toBeNull();
      const { items } = await budgets.listApprovals({ status: "pending", limit: 50 });
      expect(items).toHaveLength(11);
    });

    test("a new builder and a call outside hours wait; a builder that was paid before does not", async () => {
      const { calls, budgets } = await asking({ newBuilders: true });
      const approvalId = await askedBy(calls);
      expect(await budgets.getApproval(approvalId)).toMatchObject({ reason: "new-builder" });
      await budgets.approveRequest(approvalId);
      expect((await calls.verify(held())).body).toMatchObject({ isValid: true });
      expect((await calls.verify(held())).body).toMatchObject({ isValid: true });
      const hour = (await service.ports.clock.now()).getUTCHours();
      const at = (offset: number) => `${String((hour + offset) % 24).padStart(2, "0")}:00`;
      await budgets.setBudgets({ approval: { outsideHours: { from: at(3), to: at(6) } } });
      expect(await budgets.getApproval(await askedBy(calls))).toMatchObject({
        reason: "outside-hours",
      });
      await budgets.setBudgets({ approval: { outsideHours: { from: at(22), to: at(6) } } });
      expect((await calls.verify(held())).body).toMatchObject({ isValid: true });
    });

    test("a call above the credits waits, and passes by what was approved, not by more", async () => {
      const { calls, budgets } = await asking({ aboveCredits: 9n });
      await budgets.approveRequest(await askedBy(calls));
      expect((await calls.settle()).body).toMatchObject({ success: true });
      expect((await calls.settle()).body).toMatchObject({ cause: "pending_approval" });
    });

    test("an order by an API key waits, and a person's own does not", async () => {
      const { budgets, market } = await asking();
      const { plans } = market.subscriber.payments;
      const refused = await plans.orderPlan(market.planId).catch((error) => error);
      expect(refused).toMatchObject({
        code: "payment_refused",
        details: [{ path: "order", message: "pending_approval" }, { path: "approvalId" }],
      });
      await budgets.approveRequest(refused.details[1].message);
      expect(await plans.orderPlan(market.planId)).toMatchObject({ success: true });
      await expect(plans.orderPlan(market.planId)).rejects.toMatchObject({
        code: "payment_refused",
      });
      const person = market.subscriber.context;
      const { verbs } = await import("../verbs.ts");
      expect(await verbs.orderPlan(person, { planId: market.planId })).toMatchObject({
        success: true,
      });
    });

    test("an approval of an order by an API key names the rule that asked", async () => {
      const { budgets, market } = await asking({ newBuilders: true });
      const refused = await market.subscriber.payments.plans
        .orderPlan(market.planId)
        .catch((error) => error);
      const { reason } = await budgets.getApproval(refused.details[1].message);
      expect(reason).toBe("new-builder");
    });

    test("a rule in another currency than the dollar asks for every payment to a seller elsewhere", async () => {
      const { budgets, market, delegationId } = await asking({ above: 50n });
      const pay = async (cents: number) => {
        const [row] = await database.query<{ cause: string | null }>(
          "select payment_budgets($1, $2, 'seller', $3::numeric) as cause",
          [market.subscriber.address, delegationId, cents],
        );
        return row?.cause;
      };
      expect([await pay(50), await pay(51)]).toEqual([null, "pending_approval"]);
      await budgets.setBudgets({ currency: "eur", approval: { above: 5_000n } });
      expect([await pay(0), await pay(50)]).toEqual([null, "pending_approval"]);
    });

    test("budgets refuse before a person is asked, and an approval passes no limit", async () => {
      const { calls, budgets } = await asking({ above: 50n });
      await budgets.approveRequest(await askedBy(calls));
      await budgets.setBudgets({ approval: { above: 50n }, limits: limits(["day", "money", 99]) });
      expect((await calls.verify(held())).body).toMatchObject({ cause: "budget_per_day" });
    });
  },
);

/** A request that waits, with the secret of its notice's link. */
async function askWithLink(
  ports: Ports,
  {
    subscriber,
    planId,
    builder,
  }: { subscriber: { address: string }; planId: string; builder: { address: string } },
  subject: string,
) {
  const secrets: string[] = [];
  const crypto = {
    ...ports.crypto,
    digest: (text: string) => {
      secrets.push(text);
      return ports.crypto.digest(text);
    },
  };
  const asked = await askApproval(
    { ...ports, crypto },
    {
      account: subscriber.address,
      jti: `jti_${subject}`,
      delegationId: null,
      subject,
      planId,
      builder: builder.address,
      agentId: null,
      reason: "amount",
      maxCents: 1n,
      currency: "usd",
      maxCredits: 1n,
    },
  );
  return { approvalId: asked?.approvalId ?? "", secret: secrets[0] ?? "" };
}
