import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Stripe } from "stripe";
import { afterAll, expect, test } from "vitest";
import { createStripe } from "@/lib/adapters/cards/stripe-client.ts";
import { bundled } from "@/lib/testing/bundled.ts";
import { startControlledProcessor } from "./testing/controlled-processor.ts";

const dataDir = mkdtempSync(join(tmpdir(), "turnpike-cards-kill-"));
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(dataDir, { recursive: true, force: true });
});

async function startChild(): Promise<{ child: ChildProcess; stripe: Stripe }> {
  const child = spawn(
    process.execPath,
    [bundled("lib/adapters/cards/testing/run-processor.ts"), dataDir],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(child);
  if (!child.stdout) throw new Error("No output.");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { apiBase, secretKey } = JSON.parse(String(line));
  return { child, stripe: createStripe({ secretKey, apiBase, timeoutMs: 5_000 }) };
}

test("kill -9 during payments loses no acknowledged one, and retries charge nothing twice", async () => {
  const { child, stripe } = await startChild();
  const customer = (await stripe.customers.create({})).id;
  const card = (await stripe.paymentMethods.attach("pm_card_visa", { customer })).id;
  const pay = (using: Stripe, index: number) =>
    using.paymentIntents.create(
      {
        amount: 100 + index,
        currency: "usd",
        customer,
        payment_method: card,
        off_session: true,
        confirm: true,
        metadata: { order_id: `order-${index}` },
      },
      { idempotencyKey: `ord_order-${index}` },
    );
  const acknowledged = new Map<number, string>();
  let next = 0;
  // Each asks once its last payment is acknowledged: a fast processor has not answered all before it is killed.
  const payOneByOne = async () => {
    while (next < 200) {
      const index = next;
      next += 1;
      const { id } = await pay(stripe, index);
      acknowledged.set(index, id);
      if (acknowledged.size === 60) child.kill("SIGKILL");
    }
  };
  await Promise.allSettled(Array.from({ length: 50 }, payOneByOne));
  expect(acknowledged.size).toBeGreaterThanOrEqual(60);
  expect(acknowledged.size).toBeLessThan(200);

  const again = await startControlledProcessor({ dataDir });
  try {
    const { secretKey, apiBase } = again;
    const after = createStripe({ secretKey, apiBase, timeoutMs: 5_000 });
    for (const [index, id] of acknowledged) {
      expect((await after.paymentIntents.retrieve(id)).metadata.order_id).toBe(`order-${index}`);
    }
    await Promise.all(Array.from({ length: 200 }, (_, index) => pay(after, index)));
    const paid = again.controls.payments().filter(({ status }) => status === "succeeded");
    expect(paid).toHaveLength(200);
    expect(new Set(paid.map(({ metadata }) => metadata.order_id)).size).toBe(200);
  } finally {
    await again.stop();
  }
}, 60_000);
