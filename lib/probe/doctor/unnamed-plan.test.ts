import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createDoctorBench, type DoctorBench, listen } from "@/lib/server/testing/doctor-bench.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { type Options, runDoctor } from "../../../scripts/run-doctor.ts";
import type { DoctorReport } from "../report/report.ts";

type Served = Awaited<ReturnType<typeof listen>>;
let database: Database;
let service: TestService;
let bench: DoctorBench;
let served: Served;
let relay: Served;

beforeAll(async () => {
  const [store] = ruleStores();
  database = await (store as NonNullable<typeof store>).open();
  service = createTestService(database);
  served = await listen(async ({ method, url, headers, body }) => {
    const text = body && (await new Response(body).text());
    return service.fetch(url, { method, headers, ...(text && { body: text }) });
  });
  bench = await createDoctorBench(service);
  bench.answer(bench.gated());
  // A server that passes another seller's 402 on, and spends the tokens that it gets there.
  relay = await listen(bench.gated());
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([bench.close(), served.close(), relay.close()]);
  await database.close();
});

/** `npm run doctor -- URL --paid --max-credits 15`. */
async function run(url: string, options: Partial<Options> = {}): Promise<DoctorReport> {
  vi.stubEnv("TURNPIKE_API_KEY", bench.subscriber.apiKey);
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((part) => {
    text += part;
    return true;
  });
  const given = { method: "POST", body: '{"question":"Why?"}', paid: true, maxCredits: 15n };
  await runDoctor(url, { ...given, json: true, service: served.origin, ...options });
  write.mockRestore();
  return JSON.parse(text) as DoctorReport;
}

test("T02: the doctor's command sends no token to a server at which the plan is not sold", async () => {
  const before = await bench.balance();
  const { paid, findings } = await run(`${relay.origin}/ask/1`);
  expect([paid, await bench.balance()]).toEqual([null, before]);
  const skipped = findings.find(({ id }) => id === "D45")?.sentence;
  expect(skipped).toContain(
    `the 402 comes from ${relay.origin.replace("127.0.0.1", "localhost")}.`,
  );
  expect(skipped).toContain(`--plan ${bench.planId}`);
});

test.each<[string, () => Parameters<typeof run>]>([
  ["where an agent of the plan is registered", () => [bench.url.replace(":id", "1")]],
  ["for the plan that is named", () => [`${relay.origin}/ask/1`, { plan: bench.planId }]],
])("it pays %s", async (_, given) => {
  expect((await run(...given())).paid).toMatchObject({ planId: bench.planId, creditsUsed: "2" });
});
