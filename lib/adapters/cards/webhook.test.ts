import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Stripe } from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startControlledProcessor } from "@/lib/sandbox/card-processor/testing/controlled-processor.ts";
import {
  type CardFixture,
  orderFor,
  planFor,
  randomAccount,
  startCardFixture,
} from "./testing/card-fixture.ts";
import { WATCHED_EVENTS } from "./watched-events.ts";
import type { WebhookReader } from "./webhook.ts";

/** An endpoint as a service has it: every body with its signature, answered as the test wants. */
type Inbox = {
  url: string;
  received: { body: string; signature: string }[];
  answer: (status: number) => void;
  close: () => Promise<void>;
};

async function openInbox(): Promise<Inbox> {
  const received: Inbox["received"] = [];
  let status = 200;
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    received.push({
      body: Buffer.concat(chunks).toString("utf8"),
      signature: String(request.headers["stripe-signature"]),
    });
    response.writeHead(status).end();
  });
  await new Promise<void>((started) => server.listen(0, "127.0.0.1", started));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    answer: (next) => {
      status = next;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const SECRET = "whsec_of_this_test";
let inbox: Inbox;
let fixture: CardFixture;
let read: WebhookReader;

beforeAll(async () => {
  inbox = await openInbox();
  fixture = await startCardFixture({ webhook: { url: inbox.url, secret: SECRET } });
  read = fixture.readWebhook;
});
afterAll(async () => {
  await fixture.close();
  await inbox.close();
});

async function paidOrder(token = "pm_card_visa") {
  const account = randomAccount();
  await fixture.cards.saveCard(account, token);
  const order = orderFor(account);
  const outcome = await fixture.rail.charge(order, planFor(order), null);
  if (outcome.status !== "paid" || !outcome.reference) throw new Error("It was not paid.");
  return { order, payment: outcome.reference };
}

const sign = (payload: string, secret: string, timestamp = Math.floor(Date.now() / 1000)) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

/** The event as it would be sent, by its id. */
const bodyOf = async (id: string) => JSON.stringify(await fixture.stripe.events.retrieve(id));

describe("what is signed", () => {
  test("every event arrives signed, and names the order to look at, whatever it is about", async () => {
    const { order, payment } = await paidOrder();
    await fixture.refunds.refund(order);
    expect(await fixture.processor.webhooks.drained()).toBe(0);
    const mine = fixture.processor.controls.events(payment).map(({ id }) => id);
    const readings = await Promise.all(
      inbox.received
        .filter(({ body }) => mine.includes(JSON.parse(body).id))
        .map(({ body, signature }) => read(body, signature)),
    );
    expect(readings).toEqual(mine.map(() => ({ outcome: "refresh", orderId: order.orderId })));
    expect(mine.length).toBeGreaterThanOrEqual(5);
  });

  test("T41: forged, tampered, stale, unsigned, and signed for another endpoint are refused", async () => {
    const { payment } = await paidOrder();
    const event = fixture.processor.controls.events(payment).at(-1);
    const body = await bodyOf(event?.id ?? "");
    expect(body).toContain("payment_intent.succeeded");
    const now = Math.floor(Date.now() / 1000);
    const refused = { outcome: "refused", reason: "signature" };
    const attempts: [string, string | null][] = [
      [body, sign(body, "whsec_of_another_endpoint")],
      [`${body} `, sign(body, SECRET)],
      [body.replace("succeeded", "failed"), sign(body, SECRET)],
      [body, null],
      [body, ""],
      [body, "t=,v1="],
      [body, sign(body, SECRET).replace("v1=", "v0=")],
      [body, sign(body, SECRET).replace(/t=\d+/, `t=${now + 1}`)],
      ["", sign("", SECRET)],
      ["not json", sign("not json", SECRET)],
    ];
    for (const [payload, signature] of attempts) {
      expect(await read(payload, signature)).toEqual(refused);
    }
    // As of a machine whose clock is ahead.
    const stale = { outcome: "refused", reason: "time" };
    expect(await read(body, sign(body, SECRET, now - 301))).toEqual(stale);
    expect(await read(body, sign(body, SECRET, now - 299))).toMatchObject({ outcome: "refresh" });
  });

  test("T41: events of connected accounts are signed with a secret of their own, which is known beside the platform's", async () => {
    const { stripe, processor } = fixture;
    const { id: destination } = await stripe.accounts.create({ type: "express" });
    processor.controls.onboard(destination);
    await paidOrder();
    await stripe.transfers.create({ amount: 400, currency: "usd", destination });
    const { id } = await stripe.payouts.create(
      { amount: 400, currency: "usd", metadata: { payout_id: "po_1", environment: "sandbox" } },
      { stripeAccount: destination },
    );
    processor.controls.finishPayout(id, null);
    expect(await processor.webhooks.drained()).toBe(0);
    const paid = inbox.received.find(({ body }) => body.includes('"payout.paid"'));
    if (!paid) throw new Error("The event did not arrive.");
    expect(JSON.parse(paid.body)).toMatchObject({ account: destination });
    expect(await read(paid.body, paid.signature)).toEqual({ outcome: "payout", payoutId: "po_1" });
    const platformAlone = fixture.replica({ webhookSecrets: [SECRET] }).readWebhook;
    expect(await platformAlone(paid.body, paid.signature)).toEqual({
      outcome: "refused",
      reason: "signature",
    });
  });

  test("T30, T41: a live event at a sandbox is refused, and another deployment's is not ours", async () => {
    const { payment } = await paidOrder();
    const [event] = fixture.processor.controls.events(payment);
    const body = await bodyOf(event?.id ?? "");
    const live = body.replaceAll('"livemode":false', '"livemode":true');
    expect(await read(live, sign(live, SECRET))).toEqual({
      outcome: "refused",
      reason: "environment",
    });
    const other = body.replaceAll('"environment":"sandbox"', '"environment":"live"');
    expect(await read(other, sign(other, SECRET))).toEqual({ outcome: "ignored" });
    const stranger = await fixture.stripe.customers.create({});
    const created = fixture.processor.controls.events().at(-1);
    const about = await bodyOf(created?.id ?? "");
    expect(about).toContain(stranger.id);
    expect(await read(about, sign(about, SECRET))).toEqual({ outcome: "ignored" });
  });
});

test("an endpoint that is sent the watched events alone hears of all that happens to a payment", async () => {
  const { controls } = fixture.processor;
  const lives: ((payment: string) => unknown)[] = [
    (payment) => controls.endDispute(controls.openDispute(payment), "lost"),
    async (payment) => {
      const disputeId = controls.openDispute(payment);
      await fixture.rail.submitEvidence?.(disputeId, { uncategorized_text: "They used it." });
      controls.endDispute(disputeId, "won");
    },
    (payment) => void controls.preventDispute(payment, "resolution"),
    async (payment) => {
      const { id } = await fixture.stripe.refunds.create({ payment_intent: payment });
      controls.finishRefund(id, "succeeded");
      controls.finishRefund(id, "failed");
    },
  ];
  const heard = new Set<string>();
  const note = async (payment: string) => {
    for (const { id, type } of controls.events(payment)) {
      const body = await bodyOf(id);
      const { outcome } = await read(body, sign(body, SECRET));
      if (outcome === "refresh") heard.add(type);
    }
  };
  for (const live of lives) {
    const { payment } = await paidOrder();
    await live(payment);
    await note(payment);
  }
  const account = randomAccount();
  const { paymentMethodId } = await fixture.cards.saveCard(account, "pm_card_visa");
  controls.declineCard(paymentMethodId ?? "", "InsufficientFunds");
  const declined = orderFor(account);
  await fixture.rail.charge(declined, planFor(declined), null);
  const payment = controls
    .payments()
    .find(({ metadata }) => metadata.order_id === declined.orderId);
  await note(payment?.id ?? "");
  // Each comes with a watched one, which reads the same payment.
  const alongside = [
    "payment_intent.created",
    "charge.succeeded",
    "charge.failed",
    "refund.created",
  ];
  expect([...heard].filter((type) => !alongside.includes(type)).sort()).toEqual(
    [...WATCHED_EVENTS].sort(),
  );
});

describe("delivery at least once", () => {
  test("what was not taken is sent again until it is", async () => {
    await fixture.processor.webhooks.drained();
    const before = inbox.received.length;
    inbox.answer(500);
    const { payment } = await paidOrder();
    await expect.poll(() => inbox.received.length).toBeGreaterThan(before);
    inbox.answer(200);
    expect(await fixture.processor.webhooks.drained()).toBe(0);
    const ids = inbox.received.slice(before).map(({ body }) => JSON.parse(body).id);
    const counts = [...new Set(ids)].map((id) => ids.filter((each) => each === id).length);
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(2);
    const owed = fixture.processor.controls.events(payment).map(({ id }) => id);
    expect(owed.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("also after a kill", async () => {
    fixture.processor.webhooks.pause();
    const { payment } = await paidOrder();
    const owed = fixture.processor.controls.events(payment).map(({ id }) => id);
    const copy = mkdtempSync(join(tmpdir(), "turnpike-cards-killed-"));
    cpSync(fixture.dataDir, copy, { recursive: true });
    const later = await openInbox();
    const again = await startControlledProcessor({
      dataDir: copy,
      webhook: { url: later.url, secret: SECRET },
    });
    try {
      expect(await again.webhooks.drained()).toBe(0);
      const ids = later.received.map(({ body }) => JSON.parse(body).id);
      expect(owed.filter((id) => !ids.includes(id))).toEqual([]);
    } finally {
      await again.stop();
      await later.close();
      rmSync(copy, { recursive: true, force: true });
      fixture.processor.webhooks.resume();
    }
    expect(readFileSync(join(fixture.dataDir, "journal.jsonl"), "utf8")).toContain(payment);
  });
});

describe("any order, any number of times", () => {
  test("T42: the processor delivers in the order it is told, and again", async () => {
    const { payment } = await paidOrder();
    await fixture.processor.webhooks.drained();
    const ids = fixture.processor.controls.events(payment).map(({ id }) => id);
    const wanted = [...ids].reverse().concat(ids.slice(0, 1));
    const before = inbox.received.length;
    expect(await fixture.processor.webhooks.deliver(wanted)).toEqual(wanted.map(() => 200));
    const arrived = inbox.received.slice(before).map(({ body }) => JSON.parse(body).id);
    expect(arrived).toEqual(wanted);
  });
});
