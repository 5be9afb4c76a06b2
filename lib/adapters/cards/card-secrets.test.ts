import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import {
  buildPaymentRequired,
  getFiatPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { Stripe } from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import type { Log } from "@/lib/domain/ports.ts";
import type { Rail } from "@/lib/domain/rails/rail.ts";
import { createWebhooks } from "@/lib/server/http/webhooks.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { startTracing } from "@/lib/server/watch/tracing.ts";
import { scrub } from "./scrub.ts";
import { type CardFixture, startCardFixture } from "./testing/card-fixture.ts";

/** A typed card number, and a mistyped key. */
const NUMBER = "5555555555554444";
const WRONG_KEY = "sk_test_canary0123456789canary0123456789";

let database: Database;
let fixture: CardFixture;
let service: TestService;
const said: string[] = [];

const line =
  (level: string) =>
  (fields: Record<string, unknown>, message: string): void => {
    said.push(`${level} ${message} ${inspect(fields, { depth: 20, showHidden: true })}`);
  };
const spans = new InMemorySpanExporter();
const tracing = startTracing({ processor: new SimpleSpanProcessor(spans) });
const log: Log = { info: line("info"), warn: line("warn"), error: line("error") };

/** A rail that writes down everything that is thrown through it, causes and hidden members included. */
function overheard(rail: Rail): Rail {
  return {
    ...rail,
    charge: async (...order) => {
      try {
        const outcome = await rail.charge(...order);
        said.push(inspect(outcome, { depth: 20 }));
        return outcome;
      } catch (cause) {
        said.push(inspect(cause, { depth: 20, showHidden: true }));
        throw cause;
      }
    },
  };
}

beforeAll(async () => {
  [database, fixture] = await Promise.all([openRuleStore(), startCardFixture()]);
  service = createTestService(database, {
    rails: [overheard(fixture.rail)],
    cards: fixture.cards,
    log,
    observe: tracing.observeOperation,
  });
});
afterAll(async () => {
  await tracing.stop();
  await database.close();
  await fixture.close();
});

/** A delegation, top-ups, a chargeback by webhook, a payment that waits, its confirmation, and the card's end. */
async function wholeFlow(shop: {
  builder: TestParty;
  subscriber: TestParty;
  planId: string;
  card: string;
}): Promise<void> {
  const { builder, subscriber, planId, card } = shop;
  const call = async (party: TestParty, method: string, path: string, body?: object) => {
    const answer = await service.call(party, method, path, body);
    const text = await answer.text();
    // Lists of one's own cards and delegations name the card by its id: that is what they are for.
    said.push(`${answer.status} ${text.replaceAll(`"${card}"`, '"own card"')}`);
    return JSON.parse(text);
  };
  const delegationConfig = {
    providerPaymentMethodId: card,
    spendingLimitCents: 5000,
    durationSecs: 3600,
    currency: "usd",
    maxTransactions: 5,
  };
  const { accessToken, delegationId } = await call(subscriber, "POST", "/x402/permissions", {
    accepted: { planId, scheme: "svc:card-delegation" },
    delegationConfig,
  });
  said.push(Buffer.from(accessToken, "base64").toString());
  const settle = {
    paymentRequired: buildPaymentRequired({
      planId,
      endpoint: "https://agent.example/ask",
      httpVerb: "POST",
      scheme: "svc:card-delegation",
    }),
    x402AccessToken: accessToken,
  };
  await call(builder, "POST", "/x402/verify", settle);
  await call(builder, "POST", "/x402/settle", settle);
  await call(subscriber, "GET", `/delegation/${delegationId}`);
  await call(subscriber, "GET", "/payment-methods");
  const door = createWebhooks(service.ports, fixture.readWebhook);
  const dispute = async () => {
    const { id } = fixture.processor.controls
      .payments()
      .findLast(({ status }) => status === "succeeded") ?? { id: "" };
    fixture.processor.controls.openDispute(id);
    const event = fixture.processor.controls.events(id).at(-1);
    const payload = JSON.stringify(await fixture.stripe.events.retrieve(event?.id ?? ""));
    for (const secret of [fixture.processor.webhookSecret, "whsec_wrong"]) {
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
      const answer = await door.fetch(
        new Request("http://service.test/api/webhooks/cards", {
          method: "POST",
          headers: { "stripe-signature": signature },
          body: payload,
        }),
      );
      said.push(`${answer.status} ${await answer.text()}`);
    }
  };
  await dispute();
  fixture.processor.faults.add({
    kind: "error-before",
    method: "GET",
    path: "/v1/payment_intents",
  });
  await dispute();
  fixture.processor.faults.clear();
  await call(subscriber, "DELETE", `/payment-methods/${card}?dryRun=true`);
  await call(subscriber, "DELETE", `/payment-methods/${card}`);
  await call(subscriber, "GET", "/requests?role=subscriber");
  await call(builder, "GET", "/figures/earnings");
}

test("R14, T56: no card number, payment method, customer or key is in a log, an error, a trace, an answer, or a column that does not need it", async () => {
  const { apiBase, publishableKey, secretKey } = fixture.processor;
  const [builder, subscriber] = await Promise.all([service.party(), service.party()]);
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Starter by card" },
    getFiatPriceConfig(5_000_000n, builder.address, "USD"),
    getFixedCreditsConfig(10n, 1n),
  );
  const setup = await fixture.cards.startCard(subscriber.address);
  await fetch(`${apiBase}/v1/setup_intents/${setup.setupIntentId}/confirm`, {
    method: "POST",
    body: new URLSearchParams({
      key: publishableKey,
      client_secret: setup.clientSecret,
      "payment_method_data[type]": "card",
      "payment_method_data[card][number]": NUMBER,
    }),
  });
  const { paymentMethodId } = await fixture.cards.finishCard(
    subscriber.address,
    setup.setupIntentId,
  );
  const card = paymentMethodId ?? "";
  const customer = await fixture.customers.ensure(subscriber.address);
  const order = async (body: object = {}, through: TestService = service) => {
    const path = `/protocol/plans/${planId}/order`;
    const answer = await through.call(subscriber, "POST", path, body);
    said.push(`${answer.status} ${await answer.text()}`);
  };

  await order({ providerPaymentMethodId: card });
  await order({ providerPaymentMethodId: "pm_1CanaryOfSomebodyElse" });
  for (const kind of ["lose-reply", "error-after", "rate-limit"] as const) {
    fixture.processor.faults.add({ kind, path: "/v1/payment_intents", times: 2 });
    await order();
    fixture.processor.faults.clear();
  }
  fixture.processor.controls.declineCard(card, "StolenCard");
  await order();
  const misled = fixture.replica({ secretKey: WRONG_KEY });
  const misledService = createTestService(database, {
    rails: [overheard(misled.rail)],
    cards: misled.cards,
    log,
  });
  await service.ports.clock.advance(60);
  await resolveOrders(misledService.ports);
  const listed = misled.cards.listPaymentMethods(subscriber.address);
  said.push(await listed.then(String, (cause) => inspect(cause, { depth: 20, showHidden: true })));
  fixture.processor.controls.declineCard(card, null);
  await wholeFlow({ builder, subscriber, planId, card });
  await order({ providerPaymentMethodId: card });

  const traced = spans.getFinishedSpans();
  expect(traced.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["svc:verify", "svc:settlement"]),
  );
  for (const { name, attributes, events, status } of traced) {
    said.push(inspect({ name, attributes, events, status }, { depth: 20 }));
  }
  const text = said.join("\n");
  // It did speak of what went wrong.
  expect(text).toContain("order outcome unknown");
  expect(text).toContain("stolen_card");
  expect(text).toContain("card_not_found");
  const secrets = { NUMBER, card, customer, secretKey, WRONG_KEY, client: setup.clientSecret };
  for (const [name, secret] of Object.entries({ ...secrets, other: "CanaryOfSomebodyElse" })) {
    expect(text.includes(secret), `${name} was said`).toBe(false);
  }

  const tables = await database.query<{ table_name: string }>(
    "select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    [],
  );
  const holders = new Set<string>();
  for (const { table_name: table } of tables) {
    const rows = await database.query<{ row: string }>(
      `select row_to_json(t)::text as row from "${table}" t`,
      [],
    );
    for (const { row } of rows) {
      for (const [column, value] of Object.entries(JSON.parse(row))) {
        const held = JSON.stringify(value) ?? "";
        const { card: _card, ...never } = secrets;
        for (const secret of Object.values(never)) expect(held).not.toContain(secret);
        if (held.includes(card)) holders.add(`${table}.${column}`);
      }
    }
  }
  // The card an order or a delegation charges is the one thing that is needed.
  expect([...holders].sort()).toEqual([
    "delegations.payment_method_id",
    "orders.payment_method_id",
  ]);
  const journal = readFileSync(join(fixture.dataDir, "journal.jsonl"), "utf8");
  expect(journal).not.toContain(NUMBER);
});

test("scrubbing takes out what must not be said, and leaves the words", () => {
  const text = `No such PaymentMethod: 'pm_1Abc'; cus_QwErTyUiOpAsDf, key ${WRONG_KEY} whsec_abc
    pi_3Abc_secret_xyz 4242 4242 4242 4242 but card_declined on pi_3Abc at 1700000000`;
  expect(
    scrub(text),
  ).toBe(`No such PaymentMethod: '[redacted]'; [redacted], key [redacted] [redacted]
    [redacted] [redacted] but card_declined on pi_3Abc at 1700000000`);
});
