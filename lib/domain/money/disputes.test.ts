import { getDynamicCreditsConfig } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import { mintToken, openCardShop, settleCard } from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { refreshOrder } from "../orders/resolve-orders.ts";

describe.each(ruleStores())("disputes on $name", ({ open }) => {
  const at = useCardService(open);

  /** An order whose credits were used twice, by calls of which some were refunded, before it was disputed. */
  async function disputed(refunds: { amount?: bigint }[] = []) {
    const shop = await openCardShop(at.service, { credits: getDynamicCreditsConfig(10n, 1n, 10n) });
    const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    const { accessToken } = await mintToken(shop);
    const calls = await Promise.all([1, 2].map(() => settleCard(at.service, shop, accessToken)));
    const { money } = shop.builder.payments;
    const agentRequestIds = calls.map((call) => call.agentRequestId ?? "");
    for (const [index, refund] of refunds.entries()) {
      await money.createRefund({ agentRequestId: agentRequestIds[index] ?? "", ...refund });
    }
    const disputeId = at.fixture.processor.controls.openDispute(
      txHash ?? "",
      "product_not_received",
    );
    await refreshOrder(at.service.ports, orderId);
    const receipts = calls.map((call) => (call.success ? call.extra.settlementId : ""));
    return { ...shop, orderId, disputeId, receipts, agentRequestIds, money };
  }

  test("Home counts every open dispute, and those past their deadline apart", async () => {
    const { builder, disputeId } = await disputed();
    await at.database.query(
      `insert into disputes select (jsonb_populate_record(d, jsonb_build_object('dispute_id', d.dispute_id || n,
         'respond_by', case when n > 2 then app_now() - interval '1 day' else d.respond_by + n * interval '1 day' end))).*
       from disputes d, generate_series(1, 105) n where d.dispute_id = $1`,
      [disputeId],
    );
    const { items } = await builder.payments.money.listDisputes({ limit: 100 });
    const until = (await builder.payments.money.getDispute(disputeId)).respondBy;
    expect(items).toHaveLength(100);
    expect((await builder.figures.getHome()).disputes).toEqual({ open: 3, late: 103, until });
    const stranger = await at.service.party();
    expect((await stranger.figures.getHome()).disputes).toEqual({ open: 0, late: 0 });
  });

  test("T43: a chargeback is a case with its deadline, and with evidence that only the service has", async () => {
    const { money, disputeId, orderId, receipts, subscriber } = await disputed();
    const { items } = await money.listDisputes({ status: "needs_response" });
    expect(items).toMatchObject([
      {
        disputeId,
        orderId,
        amount: "5000000",
        currency: "usd",
        reason: "product_not_received",
        respondBy: expect.any(String),
        subscriber: subscriber.address,
      },
    ]);
    const { evidence } = await money.getDispute(disputeId);
    const text = (name: string) => evidence.find((part) => part.name === name)?.text ?? "";
    expect(text("uncategorized_text")).toContain('ordered plan "By card" for 5.00 USD');
    expect(text("uncategorized_text")).toContain(
      "made 2 paid calls under this plan, for 2 credits",
    );
    for (const receipt of receipts) {
      expect(text("access_activity_log")).toContain(`/receipts/${receipt}`);
    }
    expect(text("access_activity_log")).toMatch(/Ledger head: [0-9a-f]{64}/);
    expect(text("refund_policy_disclosure")).toContain("Version 1 of the plan's terms");
    expect(text("service_date")).toMatch(/^\d{4}-\d\d-\d\d$/);
    const stranger = await at.service.party();
    await expect(stranger.payments.money.getDispute(disputeId)).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(stranger.payments.money.submitEvidence({ disputeId })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  longTest(
    "evidence is sent once, as it was written first, whatever became of the answer",
    async () => {
      const { money, disputeId } = await disputed();
      at.fixture.processor.faults.add({ kind: "lose-reply", path: "/v1/disputes", times: 20 });
      await expect(
        money.submitEvidence({ disputeId, summary: "They used it." }),
      ).rejects.toMatchObject({ code: "outcome_unknown" });
      at.fixture.processor.faults.clear();
      const sent = await money.submitEvidence({ disputeId, summary: "Something else." });
      expect(sent).toMatchObject({ status: "under_review", submittedAt: expect.any(String) });
      expect(await money.submitEvidence({ disputeId })).toEqual(sent);
      const there = await at.fixture.stripe.disputes.retrieve(disputeId);
      expect(there).toMatchObject({
        status: "under_review",
        evidence: { uncategorized_text: "They used it." },
        evidence_details: { submission_count: 1 },
      });
      expect(sent.evidence[0]?.text).toBe("They used it.");
    },
  );

  test("evidence says of a call what it was answered when it was charged, and of a refused repeat nothing", async () => {
    const { money, disputeId, builder, planId, agentRequestIds } = await disputed();
    const [reported = "", unreported = ""] = agentRequestIds;
    const seen = { planId, at: new Date().toISOString(), method: "POST", path: "/ask" };
    const repeated = { ...seen, httpStatus: 409, moneyStatus: "refused" } as const;
    for (const attempt of [
      { ...seen, agentRequestId: reported, httpStatus: 200, moneyStatus: "settled" } as const,
      { ...repeated, agentRequestId: reported },
      { ...repeated, agentRequestId: unreported },
    ]) {
      await builder.payments.requests.reportRequests({ requests: [attempt] });
    }
    const { evidence } = await money.getDispute(disputeId);
    const log = evidence.find(({ name }) => name === "access_activity_log")?.text.split("\n") ?? [];
    const lineOf = (id: string) => log.find((line) => line.includes(`request ${id}`));
    expect(lineOf(reported)).toContain("answered 200");
    expect(lineOf(unreported)).toContain("UTC, credits: 1, request");
  });

  test.each([
    {
      refunds: [{}],
      summary:
        "made 1 paid call under this plan, for 1 credit. Each call has a receipt. 1 more call was refunded and is not counted.",
      log: "1 call; 1 refunded call left out. Ledger head: ",
      listed: [false, true],
    },
    {
      refunds: [{}, { amount: 500_000n }],
      summary: "is disputed. All 2 calls were refunded.",
      log: "No calls; 2 refunded calls left out. Ledger head: ",
      listed: [false, false],
    },
  ])(
    "evidence counts no call as paid that was refunded, in credits or in money: $log",
    async ({ refunds, summary, log, listed }) => {
      const { money, disputeId, receipts } = await disputed(refunds);
      const { evidence } = await money.getDispute(disputeId);
      const textOf = (name: string) => evidence.find((part) => part.name === name)?.text ?? "";
      expect(textOf("uncategorized_text")).toContain(summary);
      expect(textOf("access_activity_log")).toContain(log);
      const isListed = (receipt: string) => textOf("access_activity_log").includes(receipt);
      expect(receipts.map(isListed)).toEqual(listed);
    },
  );

  test("evidence that the processor refuses is told as refused, and the next try reaches the bank", async () => {
    const { money, disputeId } = await disputed();
    const { controls } = at.fixture.processor;
    // The bank's deadline is over, and ours is not.
    controls.advance(8 * 86_400);
    const refused = {
      code: "conflict",
      message: `The card processor refused the evidence: Dispute ${disputeId} does not accept evidence any more.`,
    };
    await expect(money.submitEvidence({ disputeId })).rejects.toMatchObject(refused);
    expect((await money.getDispute(disputeId)).submittedAt).toBeUndefined();
    const first = { disputeId, summary: "A first draft." };
    await expect(money.submitEvidence(first)).rejects.toMatchObject(refused);
    controls.advance(-8 * 86_400);
    const sent = await money.submitEvidence({ disputeId, summary: "The better text." });
    expect(sent.evidence[0]?.text).toBe("The better text.");
    expect(sent).toMatchObject({ status: "under_review", submittedAt: expect.any(String) });
    const there = await at.fixture.stripe.disputes.retrieve(disputeId);
    expect(there.evidence_details.submission_count).toBe(1);
  });

  test("evidence that the operator sent in the dashboard before is not told as the builder's", async () => {
    const { money, disputeId } = await disputed();
    const { disputes } = at.fixture.stripe;
    const evidence = { uncategorized_text: "By the operator." };
    await disputes.update(disputeId, { evidence, submit: true });
    await expect(money.submitEvidence({ disputeId })).rejects.toMatchObject({
      code: "conflict",
      message: "The bank doesn’t accept evidence for this dispute: it is under review.",
    });
    expect((await money.getDispute(disputeId)).submittedAt).toBeUndefined();
  });

  test("evidence for a dispute that is decided, which no webhook has said, was never sent", async () => {
    const { money, disputeId } = await disputed();
    at.fixture.processor.controls.endDispute(disputeId, "lost");
    const closed = {
      code: "conflict",
      message: "The bank doesn’t accept evidence for this dispute: it is lost.",
    };
    for (let time = 0; time < 2; time++) {
      await expect(money.submitEvidence({ disputeId })).rejects.toMatchObject(closed);
    }
    const now = await money.getDispute(disputeId);
    expect(now.status).toBe("lost");
    expect(now.submittedAt).toBeUndefined();
  });

  longTest(
    "evidence whose answer was lost is found at the bank, also after the processor forgot the request",
    async () => {
      const { money, disputeId } = await disputed();
      const { controls, faults } = at.fixture.processor;
      faults.add({ kind: "lose-reply", path: "/v1/disputes", times: 20 });
      await expect(money.submitEvidence({ disputeId })).rejects.toMatchObject({
        code: "outcome_unknown",
      });
      faults.clear();
      controls.advance(86_401);
      const sent = await money.submitEvidence({ disputeId });
      controls.advance(-86_401);
      expect(sent).toMatchObject({ status: "under_review", submittedAt: expect.any(String) });
    },
  );

  test("a dispute that was prevented takes the order back only where the payment went back", async () => {
    const resultOf = async (how: "block" | "resolution") => {
      const shop = await openCardShop(at.service);
      const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
      at.fixture.processor.controls.preventDispute(txHash ?? "", how);
      await refreshOrder(at.service.ports, orderId);
      const { items } = await shop.builder.payments.money.listDisputes({});
      return {
        owed: await at.owedTo(shop),
        balance: (await at.balanceOf(shop)).balance,
        disputes: items.map(({ status, respondBy }) => ({ status, respondBy })),
      };
    };
    expect(await resultOf("block")).toEqual({ owed: 5_000_000n, balance: 100n, disputes: [] });
    expect(await resultOf("resolution")).toEqual({
      owed: 0n,
      balance: 0n,
      disputes: [{ status: "lost", respondBy: undefined }],
    });
  });

  test("an earlier order counts as evidence only while no bank has a part of it", async () => {
    const shop = await openCardShop(at.service);
    const order = async () => {
      const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
      return { orderId, reference: txHash ?? "" };
    };
    const [first, second] = [await order(), await order()];
    const { controls } = at.fixture.processor;
    const dispute = async ({ orderId, reference }: typeof first, cents?: number) => {
      const disputeId = controls.openDispute(reference, "fraudulent", cents);
      await refreshOrder(at.service.ports, orderId);
      return disputeId;
    };
    const disputeId = await dispute(second);
    const textNow = async () => {
      const { evidence } = await shop.builder.payments.money.getDispute(disputeId);
      return evidence.find(({ name }) => name === "uncategorized_text")?.text;
    };
    expect(await textNow()).toContain("which was not reversed");
    await dispute(first, 100);
    expect(await textNow()).not.toContain("earlier order");
  });

  test.each(["won", "lost"] as const)("a dispute that is %s ends in the ledger", async (end) => {
    const { money, disputeId, orderId, builder, subscriber, planId } = await disputed();
    await money.submitEvidence({ disputeId });
    at.fixture.processor.controls.endDispute(disputeId, end);
    for (let time = 0; time < 2; time++) await refreshOrder(at.service.ports, orderId);
    expect((await money.getDispute(disputeId)).status).toBe(end);
    const owed = await at.service.ports.payouts.owed(builder.address);
    expect(owed).toMatchObject(end === "won" ? [{ currency: "usd", amount: 5_000_000n }] : []);
    const { balance } = await subscriber.payments.plans.getPlanBalance(planId);
    expect(balance).toBe(end === "won" ? 8n : 0n);
    // Sent again, it answers what was sent.
    expect((await money.submitEvidence({ disputeId })).status).toBe(end);
  });

  test("a dispute that is lost and then won on appeal is won, and the builder is told so", async () => {
    const { money, disputeId, orderId, builder } = await disputed();
    const { controls } = at.fixture.processor;
    controls.endDispute(disputeId, "lost");
    await refreshOrder(at.service.ports, orderId);
    controls.endDispute(disputeId, "won");
    await refreshOrder(at.service.ports, orderId);
    expect((await money.getDispute(disputeId)).status).toBe("won");
    expect(await at.service.ports.payouts.owed(builder.address)).toMatchObject([
      { currency: "usd", amount: 5_000_000n },
    ]);
    const told = await at.database.query<{ type: string; currency: string }>(
      "select type, data->>'currency' as currency from event_queue where type like 'dispute.%' and subject = $1 order by id",
      [orderId],
    );
    expect(told.map(({ type }) => type)).toEqual(["dispute.opened", "dispute.lost", "dispute.won"]);
    expect(new Set(told.map(({ currency }) => currency))).toEqual(new Set(["usd"]));
  });

  test("evidence after the deadline or the decision is refused", async () => {
    const { money, disputeId, orderId } = await disputed();
    at.fixture.processor.controls.endDispute(disputeId, "lost");
    await refreshOrder(at.service.ports, orderId);
    await expect(money.submitEvidence({ disputeId })).rejects.toMatchObject({
      code: "conflict",
      message: "The bank doesn’t accept evidence for this dispute: it is lost.",
    });
    const late = await disputed();
    await at.service.ports.clock.advance(8 * 86_400);
    await expect(late.money.submitEvidence({ disputeId: late.disputeId })).rejects.toMatchObject({
      code: "conflict",
      message: "The deadline has passed.",
    });
  });
});
