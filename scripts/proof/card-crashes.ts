import { setTimeout as pause } from "node:timers/promises";
import { brokenRules } from "@/lib/adapters/db/testing/stores.ts";
import type { SpawnedService } from "@/lib/server/testing/spawn-service.ts";
import { type Buyer, type CrashWorld, deliverWebhook, openCrashWorld } from "./card-crash-world.ts";
import { type Death, STEPS, textOf } from "./card-deaths.ts";

type End = {
  orders: string;
  charges: number;
  refunds: number;
  credits: number;
  spentCents: number;
  reservedCents: number;
};
type Scenario = { name: string; buyer: Buyer; wanted: End; payment?: string };

const PAID: End = {
  orders: "minted",
  charges: 1,
  refunds: 0,
  credits: 100,
  spentCents: 500,
  reservedCents: 0,
};
const DECLINED: End = { ...PAID, orders: "declined", charges: 0, credits: 0, spentCents: 0 };
const REFUNDED: End = { ...DECLINED, charges: 1, refunds: 1 };
const REVERSED: End = { ...PAID, orders: "refunded", refunds: 1, credits: 0 };
const REST_WITHIN_MS = 90_000;
const PAYMENTS = "/v1/payment_intents";

const world = await openCrashWorld();
let isWhole = false;
try {
  const survivor = await world.start("survivor");
  const scenarios: Scenario[] = [];
  for (const step of STEPS) {
    for (const when of ["before", "after"] as const) {
      scenarios.push(await killAt({ step, when }));
    }
  }
  scenarios.push(await killInside(), ...(await losses(survivor)), await lateReply(survivor));
  await rest(survivor, scenarios);
  isWhole = await report(scenarios);
  await survivor.end("SIGKILL");
} finally {
  await world.close();
}
if (!isWhole) process.exitCode = 1;

/** One order whose worker is killed at a step while another worker keeps running. */
async function killAt(death: Death): Promise<Scenario> {
  const buyer = await world.buyer();
  const name = `killed ${death.when} ${death.step}`;
  const { controls } = world.processor;
  const isLate = ["oweRefund", "refund", "closeRefund"].includes(death.step);
  const isDeclined = death.step === "decline" || isLate;
  if (isDeclined) controls.declineCard(buyer.card, "InsufficientFunds");
  const victim = await world.start("victim", textOf(death, buyer.address));
  await order(victim, buyer);
  if (!isLate && death.step !== "reverse") {
    await victim.ended;
    return { name, buyer, wanted: isDeclined ? DECLINED : PAID };
  }
  const payment = paymentsOf(world, buyer)[0]?.id ?? "";
  if (isLate) {
    // A declined order is paid later, by the same card.
    controls.declineCard(buyer.card, null);
    await world.cards.stripe.paymentIntents.confirm(payment, { payment_method: buyer.card });
  } else {
    await world.cards.stripe.refunds.create({ payment_intent: payment });
  }
  await deliverWebhook(world, victim, payment);
  await victim.ended;
  return { name, buyer, payment, wanted: isLate ? REFUNDED : REVERSED };
}

/** The processor charges after its caller was killed, so no one receives the reply. */
async function killInside(): Promise<Scenario> {
  const buyer = await world.buyer();
  const victim = await world.start("victim");
  world.processor.faults.add({ kind: "delay", path: PAYMENTS, ms: 1_500 });
  const ordering = order(victim, buyer);
  await untilDelayed();
  await victim.end("SIGKILL");
  await ordering;
  while (!paymentsOf(world, buyer).some(({ status }) => status === "succeeded")) await pause(20);
  return { name: "killed inside charge, reply late", buyer, wanted: PAID };
}

/** The request or the reply is lost, twice because the SDK retries on its own. */
async function losses(survivor: SpawnedService): Promise<Scenario[]> {
  const found: Scenario[] = [];
  for (const [name, kind] of [
    ["request lost", "lose-request"],
    ["reply lost", "lose-reply"],
    ["500 after the effect", "error-after"],
  ] as const) {
    const buyer = await world.buyer();
    world.processor.faults.add({ kind, path: PAYMENTS, times: kind === "error-after" ? 1 : 2 });
    await order(survivor, buyer);
    world.processor.faults.clear();
    found.push({ name, buyer, wanted: PAID });
  }
  return found;
}

/** The reply arrives after another worker has taken over the order: both request the same charge. */
async function lateReply(survivor: SpawnedService): Promise<Scenario> {
  const buyer = await world.buyer();
  const other = await world.start("other");
  world.processor.faults.add({ kind: "delay", path: PAYMENTS, ms: 12_000 });
  const delays = world.processor.faults.hits().delay ?? 0;
  const ordering = order(survivor, buyer);
  await untilDelayed(delays);
  await world.service.ports.clock.advance(60);
  await ordering;
  await other.end("SIGKILL");
  return { name: "reply late, two workers", buyer, wanted: PAID };
}

/** Waits until no order is open. Buyers retry with their key, and the processor redelivers. */
async function rest(survivor: SpawnedService, scenarios: Scenario[]): Promise<void> {
  const deadline = Date.now() + REST_WITHIN_MS;
  for (;;) {
    for (const { buyer, payment } of scenarios) {
      await order(survivor, buyer);
      if (payment) await deliverWebhook(world, survivor, payment);
    }
    const [open] = await world.database.query<{ n: string }>(
      "select count(*)::text as n from orders where due_at is not null",
      [],
    );
    if (open?.n === "0" || Date.now() > deadline) return;
    await world.service.ports.clock.advance(60);
    await pause(250);
  }
}

async function report(scenarios: Scenario[]): Promise<boolean> {
  const rows = await Promise.all(
    scenarios.map(async ({ name, buyer, wanted }) => {
      const end = await endOf(world, buyer);
      return { crash: name, ...end, holds: JSON.stringify(end) === JSON.stringify(wanted) };
    }),
  );
  console.table(rows);
  const broken = await brokenRules(world.database);
  const held = rows.filter(({ holds }) => holds).length;
  console.log(`card crashes: ${held} of ${rows.length} held, broken rules ${broken.length}`);
  return held === rows.length && broken.length === 0;
}

/** Orders with the buyer's one idempotency key; a lost answer is ignored. */
async function order(
  { url }: SpawnedService,
  { apiKey, delegationId, address }: Buyer,
): Promise<void> {
  await fetch(`${url}/api/v1/protocol/plans/${world.planId}/order`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": `crash-${address}`,
    },
    body: JSON.stringify({ delegationId }),
  }).then(
    (answer) => answer.arrayBuffer(),
    () => null,
  );
}

async function endOf({ database, service, planId }: CrashWorld, buyer: Buyer): Promise<End> {
  const rows = await database.query<{ status: string }>(
    "select status from orders where account = $1",
    [buyer.address],
  );
  const balance = await service.ports.plans.balance(planId, buyer.address);
  const delegation = await service.ports.delegations.find(buyer.delegationId);
  const charges = paymentsOf(world, buyer).filter(({ status }) => status === "succeeded");
  const refunds = await Promise.all(
    charges.map(({ id }) => world.cards.stripe.refunds.list({ payment_intent: id })),
  );
  return {
    orders: rows.map(({ status }) => status).join(" "),
    charges: charges.length,
    refunds: refunds.flatMap(({ data }) => data).length,
    credits: Number(balance?.available ?? 0n),
    spentCents: Number(delegation?.spentCents),
    reservedCents: Number(delegation?.reservedCents),
  };
}

function paymentsOf({ processor }: CrashWorld, { card }: Buyer) {
  return processor.controls
    .payments()
    .filter(
      ({ payment_method: own, last_payment_error: error }) =>
        own === card || error?.payment_method?.id === card,
    );
}

/** Waits until the processor delays one more request than before. */
async function untilDelayed(before = 0): Promise<void> {
  while ((world.processor.faults.hits().delay ?? 0) <= before) await pause(20);
}
