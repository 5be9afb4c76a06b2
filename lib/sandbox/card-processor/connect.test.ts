import { Stripe } from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CardFixture, startCardFixture } from "@/lib/adapters/cards/testing/card-fixture.ts";

let fixture: CardFixture;
let stripe: Stripe;

beforeAll(async () => {
  fixture = await startCardFixture();
  ({ stripe } = fixture);
  const { id: customer } = await stripe.customers.create({});
  const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.paymentIntents.create({
    amount: 100_000,
    currency: "usd",
    customer,
    payment_method: card.id,
    off_session: true,
    confirm: true,
  });
});
afterAll(() => fixture.close());

const openAccount = () =>
  stripe.accounts.create({
    type: "express",
    capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
    settings: { payouts: { schedule: { interval: "manual" } } },
    metadata: { account: "0xabc" },
  });
const codeOf = async (work: Promise<unknown>) => {
  const cause = await work.then(
    () => null,
    (error: unknown) => error,
  );
  return cause instanceof Stripe.errors.StripeInvalidRequestError ? cause.code : String(cause);
};
const balanceOf = async (stripeAccount?: string) => {
  const { available } = await stripe.balance.retrieve({}, stripeAccount ? { stripeAccount } : {});
  return available.find(({ currency }) => currency === "usd")?.amount ?? 0;
};

describe("connected accounts", () => {
  test("are filled in on a hosted page, which says what is missing and leads back", async () => {
    const { id } = await openAccount();
    const before = await stripe.accounts.retrieve(id);
    expect(before).toMatchObject({ details_submitted: false, payouts_enabled: false });
    expect(before.requirements?.currently_due).toContain("external_account");
    const { url } = await stripe.accountLinks.create({
      account: id,
      type: "account_onboarding",
      return_url: "http://localhost/back",
      refresh_url: "http://localhost/again",
    });
    expect(await (await fetch(url)).text()).toContain("Provide everything");
    const answer = (how: string) =>
      fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `answer=${how}`,
      });
    const later = await answer("document-later");
    expect([later.status, later.headers.get("location")]).toEqual([303, "http://localhost/back"]);
    expect(await stripe.accounts.retrieve(id)).toMatchObject({
      details_submitted: true,
      payouts_enabled: false,
      requirements: { currently_due: ["individual.verification.document"] },
    });
    await answer("complete");
    expect(await stripe.accounts.retrieve(id)).toMatchObject({
      payouts_enabled: true,
      requirements: { currently_due: [] },
    });
    fixture.processor.controls.advance(301);
    expect((await answer("complete")).headers.get("location")).toBe("http://localhost/again");
  });
});

describe("transfers and payouts", () => {
  test("move money from the platform to an account and to its bank, once per key, and add up", async () => {
    const { id } = await openAccount();
    const transfer = { amount: 3000, currency: "usd", destination: id, transfer_group: "p1" };
    expect(await codeOf(stripe.transfers.create(transfer))).toBe(
      "insufficient_capabilities_for_transfer",
    );
    fixture.processor.controls.onboard(id);
    const platform = await balanceOf();
    const key = { idempotencyKey: "tr_1" };
    const made = await stripe.transfers.create(transfer, key);
    expect((await stripe.transfers.create(transfer, key)).id).toBe(made.id);
    expect((await stripe.transfers.list({ transfer_group: "p1" })).data).toHaveLength(1);
    expect([await balanceOf(), await balanceOf(id)]).toEqual([platform - 3000, 3000]);

    const account = { stripeAccount: id };
    const terms = { amount: 2000, currency: "usd", metadata: { payout_id: "p1" } };
    expect(await codeOf(stripe.payouts.create({ ...terms, amount: 3001 }, account))).toBe(
      "balance_insufficient",
    );
    const payout = await stripe.payouts.create(terms, account);
    expect(payout).toMatchObject({ status: "pending", amount: 2000 });
    expect(await balanceOf(id)).toBe(1000);
    expect(await codeOf(stripe.payouts.retrieve(payout.id))).toBe("resource_missing");
    fixture.processor.controls.finishPayout(payout.id, null);
    expect((await stripe.payouts.retrieve(payout.id, {}, account)).status).toBe("paid");

    const back = await stripe.transfers.createReversal(made.id, { amount: 1000 });
    expect(back.amount).toBe(1000);
    expect([await balanceOf(), await balanceOf(id)]).toEqual([platform - 2000, 0]);
    const { data } = await stripe.balanceTransactions.list({}, account);
    expect(data.map(({ type, net }) => [type, net])).toEqual([
      ["payment_refund", -1000],
      ["payout", -2000],
      ["payment", 3000],
    ]);
    expect((await stripe.balanceTransactions.retrieve(data[0]?.id ?? "")).source).toBe(back.id);
  });

  test("a closed bank account sends a payout back, and a restricted account makes none", async () => {
    const { id } = await openAccount();
    fixture.processor.controls.onboard(id, "closed-bank");
    await stripe.transfers.create({ amount: 500, currency: "usd", destination: id });
    const account = { stripeAccount: id };
    const payout = await stripe.payouts.create({ amount: 500, currency: "usd" }, account);
    expect(await stripe.payouts.retrieve(payout.id, {}, account)).toMatchObject({
      status: "failed",
      failure_code: "account_closed",
    });
    expect(await balanceOf(id)).toBe(500);
    fixture.processor.controls.restrict(id, true);
    expect(await codeOf(stripe.payouts.create({ amount: 500, currency: "usd" }, account))).toBe(
      "payouts_not_allowed",
    );
    expect((await stripe.payouts.list({ status: "failed" }, account)).data).toHaveLength(1);
  });
});
