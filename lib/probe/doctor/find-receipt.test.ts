import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { withHeader } from "@/lib/server/testing/agent-changes.ts";
import {
  createDoctorBench,
  type DoctorBench,
  type Handle,
} from "@/lib/server/testing/doctor-bench.ts";
import { createTestService } from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";

let database: Database;
let bench: DoctorBench;
beforeAll(async () => {
  const [store] = ruleStores();
  database = await (store as NonNullable<typeof store>).open();
  bench = await createDoctorBench(createTestService(database));
});
afterAll(async () => {
  await bench.close();
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
});

const encode = (text: string) => new TextEncoder().encode(text);

/** A body that is still being written when its head is sent. */
const slowBody = () =>
  new ReadableStream({
    async start(feed) {
      feed.enqueue(encode("one\n"));
      await new Promise((wake) => setTimeout(wake, 50));
      feed.enqueue(encode("two\n"));
      feed.close();
    },
  });

/** Examines the agent, and tells what its report says of a state. */
async function examine() {
  const { report } = await bench.examine({ maxCredits: 125n });
  const of = (state: string) => report.findings.filter((one) => one.state === state);
  return { report, of };
}

/** Announces the trailer that an agent on a Node server would send. */
const announced = (handle: Handle): Handle => {
  return async (request) => {
    const answer = await handle(request);
    const isPaid = answer.ok && answer.headers.has("payment-request-id");
    return isPaid ? withHeader(answer, "trailer", "payment-response") : answer;
  };
};

test.each<[string, () => Response, (handle: Handle) => Handle]>([
  ["of 3 MiB", () => Response.json({ text: "x".repeat(3 * 1024 * 1024) }), (handle) => handle],
  ["whose receipt is its trailer", () => new Response(slowBody()), announced],
])("the receipt of an answer %s is read by the request's ID", async (_what, respond, as) => {
  bench.answer(as(bench.gated({}, respond)));
  const { report, of } = await examine();
  expect(of("fail")).toEqual([]);
  expect(of("skip").map(({ id }) => id)).toEqual(["D24", "D44"]);
  expect(report.findings.find(({ id }) => id === "D40")?.sentence).toBe(
    "200, and the service has the receipt under the request ID.",
  );
  expect(report.paid).toMatchObject({ creditsUsed: "24", balanceMoved: "24" });
});

longTest(
  "a missing header is a warning where the receipt is found by the request's ID",
  async () => {
    bench.answer(bench.gated({}, () => new Response(slowBody())));
    const { report, of } = await examine();
    expect(of("fail")).toMatchObject([
      {
        id: "D40",
        severity: "warning",
        sentence: expect.stringContaining("stock x402 clients read the header"),
      },
    ]);
    expect(report.paid).toMatchObject({ creditsUsed: "24", balanceMoved: "24" });
  },
);
