import { expect, test } from "vitest";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket, createTestService } from "@/lib/server/testing/test-service.ts";
import { createGate } from "../gate.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";

test.each(ruleStores())(
  "the service lists what only the gate saw, on $name",
  async ({ open }) => {
    const database = await open();
    const service = createTestService(database);
    const { builder, planId, agentId, token } = await createMarket(service);
    const gate = createGate(
      builder.payments,
      { "POST /ask": { planId, agentId } },
      { queue: createMemoryQueue(), logger: { error: () => {} } },
    );
    const ask = (headers: Record<string, string>, status = 200) =>
      gate(
        new Request("https://agent.example/ask", { method: "POST", headers }),
        () => new Response("hello", { status }),
      );
    await ask({});
    await ask({ "payment-signature": "rubbish" });
    await ask({ "payment-signature": token }, 500);
    await ask({ "payment-signature": token });

    const wanted = ["challenged", "not-charged", "refused", "settled"];
    let seen: string[] = [];
    for (let tries = 0; tries < 100 && !wanted.every((each) => seen.includes(each)); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { items } = await builder.payments.requests.listRequests();
      seen = items.map(({ moneyStatus }) => moneyStatus).sort();
    }
    expect(seen).toEqual(wanted);
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  },
  60_000,
);
