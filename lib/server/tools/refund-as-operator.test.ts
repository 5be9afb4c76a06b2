import { getDynamicCreditsConfig } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import {
  type CardShop,
  mintToken,
  openCardShop,
  requirementOf,
  settleCard,
} from "@/lib/adapters/cards/testing/card-shop.ts";
import { useCardService } from "@/lib/adapters/cards/testing/use-card-service.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { resolveRefunds } from "@/lib/domain/money/send-refunds.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { deathsAt, dying } from "@/lib/domain/testing/dying.ts";
import { runStatements, statementsUnder } from "../testing/page-statements.ts";
import { readRefundIds, refundAsOperator } from "./refund-as-operator.ts";

const PAGE = "docs/account-requests.md";
const REASON = "Charged twice";
/** Ten credits for 5.00 that expire after a minute. */
const SHORT = { ...getDynamicCreditsConfig(10n, 1n, 10n), durationSecs: 60n };

describe.each(ruleStores())("refunds by the operator, on $name", ({ open }) => {
  const at = useCardService(open);

  const refund = (ids: string[], { isApplying = true, ports = at.service.ports } = {}) =>
    ids.reduce<Promise<string[]>>(
      async (before, id) => [
        ...(await before),
        (await refundAsOperator(ports, id, { isApplying, reason: REASON })).state,
      ],
      Promise.resolve([]),
    );
  const findDoubles = async ({ builder }: CardShop) => {
    const [, , sql = ""] = statementsUnder(PAGE, "## “I was charged twice”");
    const rows = await runStatements(at.database, sql, { account: builder.address });
    return rows as { request_key: string; customer: string; calls: unknown; credits: unknown }[];
  };
  const stop = ({ builder }: CardShop) =>
    runStatements(at.database, statementsUnder(PAGE, "## Stop an account")[0] ?? "", {
      account: builder.address,
    });
  /** A call that was paid with one of ten credits. */
  async function called(credits = getDynamicCreditsConfig(10n, 1n, 10n)) {
    const shop = await openCardShop(at.service, { credits });
    const { orderId, txHash } = await shop.subscriber.payments.plans.orderPlan(shop.planId);
    const { accessToken } = await mintToken(shop);
    const { agentRequestId = "" } = await settleCard(at.service, shop, accessToken);
    return { shop, orderId, txHash, call: `${shop.builder.address}/${agentRequestId}` };
  }
  const sentBack = async (payment: string | undefined) =>
    (await at.fixture.stripe.refunds.list({ payment_intent: payment ?? "" })).data.map(
      ({ amount }) => amount,
    );

  test("an order that was paid in a stablecoin is proposed in it", async () => {
    const { orderId } = await called();
    const { ports } = at.service;
    const find = (scheme: string) => {
      const rail = ports.rails.find(scheme);
      return rail && { ...rail, fiatProvider: undefined };
    };
    const onChain = { ...ports, rails: { ...ports.rails, find } };
    const options = { isApplying: false, reason: REASON };
    const ofCard = await refundAsOperator(ports, orderId, options);
    const ofToken = await refundAsOperator(onChain, orderId, options);
    expect([ofCard.detail, ofToken.detail]).toEqual([
      expect.stringMatching(/^5\.00 USD to /),
      expect.stringMatching(/^5\.00 USDC to /),
    ]);
  });

  test("each second charge of an agent that charges twice is found and refunded once, after its builder was stopped", async () => {
    const shop = await openCardShop(at.service);
    const other = { ...shop, ...(await openCardShop(at.service)), builder: shop.builder };
    const honest = { ...other, planId: shop.planId, agentId: shop.agentId };
    const [token, slow] = await Promise.all([mintToken(shop), mintToken(honest)]);
    for (let call = 0; call < 12; call += 1) {
      for (const _ of ["once", "twice"]) await settleCard(at.service, shop, token.accessToken);
    }
    for (let call = 0; call < 3; call += 1) {
      expect(await settleCard(at.service, honest, slow.accessToken)).toMatchObject({
        success: true,
      });
      await at.service.ports.clock.advance(60);
    }
    await stop(shop);
    const doubles = await findDoubles(shop);
    expect(doubles).toHaveLength(12);
    const customer = shop.subscriber.address;
    for (const row of doubles) expect(row).toMatchObject({ customer, calls: 12, credits: 12n });
    const csv = ["request_key,customer", ...doubles.map((row) => `${row.request_key},0x`), ""];
    const ids = readRefundIds(csv.join("\n"));

    expect(new Set(await refund(ids, { isApplying: false }))).toEqual(new Set(["proposed"]));
    expect(await at.balanceOf(shop)).toMatchObject({ balance: 76n });
    expect(new Set(await refund(ids))).toEqual(new Set(["refunded"]));
    expect(await at.balanceOf(shop)).toMatchObject({ balance: 88n });
    expect(new Set(await refund(ids))).toEqual(new Set(["before"]));
    expect(await at.balanceOf(shop)).toMatchObject({ balance: 88n });
    expect(await findDoubles(shop)).toEqual([]);
    const noted = await at.database.query(
      "select 1 from audit where account = $1 and action = 'refund' and request_id = 'npm run refund'",
      [shop.builder.address],
    );
    expect(noted).toHaveLength(12);
    const { items } = await shop.subscriber.payments.money.listRefunds({ role: "subscriber" });
    expect(items[0]).toMatchObject({ reason: REASON, status: "paid", credits: "1" });
  });

  test("a URL with line breaks, which the builder's gate named, adds no line to the file", async () => {
    const victim = await openCardShop(at.service);
    const { orderId } = await victim.subscriber.payments.plans.orderPlan(victim.planId);
    const shop = await openCardShop(at.service);
    const { accessToken } = await mintToken(shop);
    const required = requirementOf(shop);
    const url = `${required.resource?.url ?? ""}\n${orderId},x`;
    for (const agentRequestId of ["charged-for-one-call", "charged-for-it-again"]) {
      await at.service.call(shop.builder, "POST", "/x402/settle", {
        paymentRequired: { ...required, resource: { ...required.resource, url } },
        ...{ x402AccessToken: accessToken, agentRequestId },
      });
    }
    const [row = {}, ...others] = await findDoubles(shop);
    expect(others).toEqual([]);
    expect(Object.values(row).join()).not.toContain("\n");
    const call = `${shop.builder.address}/charged-for-it-again`;
    expect(readRefundIds(`request_key,path\n${call},"${url}"\n`)).toEqual([call]);
  });

  test.each(deathsAt(["refunds.open", "rails.refundPart", "refunds.note"]))(
    "killed $when $step, it refunds everything once when it is repeated",
    async (death) => {
      const { shop, call } = await called();
      const expired = await called(SHORT);
      await at.service.ports.clock.advance(61);
      const ids = [call, expired.call];
      const killed: Ports = dying(at.service.ports, death);
      await refund(ids, { ports: killed }).catch(() => []);
      await refund(ids);
      await at.service.ports.clock.advance(61);
      await resolveRefunds(at.service.ports);
      expect(await refund(ids)).toEqual(["before", "before"]);
      expect(await at.balanceOf(shop)).toMatchObject({ balance: 10n });
      expect(await sentBack(expired.txHash)).toEqual([50]);
    },
  );

  test("all that is left of an order goes back, and what can't is named", async () => {
    const { shop, orderId, txHash, call } = await called();
    const wrong = [`${shop.builder.address}/no-such-call-at-all`, "no-such-order"];
    expect(await refund([call, orderId, orderId, ...wrong])).toEqual([
      "refunded",
      "refunded",
      "before",
      "person",
      "person",
    ]);
    expect(await sentBack(txHash)).toEqual([500]);
  });
});
