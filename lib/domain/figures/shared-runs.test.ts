import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { SharedRun } from "@/lib/console/shared-run.ts";
import { sampleRun } from "@/lib/console/shared-run.ts";
import {
  createTestService,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";

const WEEK_SECS = 7 * 24 * 3600;
const EMAIL = "ada@mail.example.org";
const SECRETS = ["cookie-canary-1", "svc-sandbox:eyJhbGci.eyJzdWIi.c2lnbmF0", EMAIL, "pa55word"];

describe.each(ruleStores())("shared runs on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let owner: TestParty;
  let stranger: TestParty;

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
    owner = await service.party();
    stranger = await service.party();
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const rows = () =>
    database.query<{ text: string }>("select shared_runs::text as text from shared_runs", []);
  const read = (shareId: string, party: TestParty | null = null) =>
    service.call(party, "GET", `/runs/shared/${shareId}`);
  const share = async (run: unknown = sampleRun) => {
    const answer = await service.call(owner, "POST", "/runs/shared", { run: JSON.stringify(run) });
    return { status: answer.status, body: await answer.json() };
  };

  test("are cleaned here, whatever the page sent: neither the row nor the answer holds a secret", async () => {
    const [cookie, apiKey, email, password] = SECRETS;
    const run: SharedRun = {
      ...sampleRun,
      input: {
        method: "POST",
        url: `https://ada:${password}@agent.example/ask?q=${email}`,
        headers: [
          ["cookie", cookie ?? ""],
          ["x-note", apiKey ?? ""],
        ],
        body: JSON.stringify({ apiKey, to: email }),
      },
      planName: `Plan of ${email}`,
    };
    const { status, body } = await share({
      ...run,
      token: apiKey,
      input: { ...run.input, token: { kind: "paste", token: apiKey } },
    });
    expect(status).toBe(200);
    expect(body.removed).toContainEqual({ what: "email", where: "request" });
    const kept = JSON.stringify([await rows(), await (await read(body.shareId)).json(), body]);
    for (const secret of SECRETS) expect(kept).not.toContain(secret);
    expect(kept).toContain("agent.example/ask");
  });

  test("are readable with the id, and listed for their owner only", async () => {
    const { body } = await share();
    for (const party of [null, stranger]) {
      const answer = await read(body.shareId, party);
      const shown = await answer.json();
      expect(shown).toMatchObject({ isYours: false, run: sampleRun });
      expect(JSON.stringify(shown)).not.toContain(owner.address);
    }
    expect(body.shareId).toMatch(/^[0-9a-f-]{36}$/);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(WEEK_SECS * 1000);
  });

  test("are ended by their owner alone, at once", async () => {
    const { body } = await share();
    const end = (party: TestParty) => service.call(party, "DELETE", `/runs/shared/${body.shareId}`);
    expect((await end(stranger)).status).toBe(404);
    expect((await read(body.shareId)).status).toBe(200);
    expect((await end(owner)).status).toBe(200);
    expect((await read(body.shareId)).status).toBe(404);
    expect((await end(owner)).status).toBe(200);
    const [row] = (await rows()).filter(({ text }) => text.includes(body.shareId));
    expect(row?.text).not.toContain("agent.example");
  });

  test("are refused when they are no run, or too long", async () => {
    const bad = [7, "text", {}, { ...sampleRun, steps: [] }, { ...sampleRun, money: "lots" }];
    for (const run of bad) expect((await share(run)).status).toBe(422);
    const notJson = await service.call(owner, "POST", "/runs/shared", { run: "{]" });
    expect(notJson.status).toBe(422);
    const input = { ...sampleRun.input, body: "x".repeat(201_000) };
    expect(await share({ ...sampleRun, input })).toMatchObject({
      status: 413,
      body: { code: "payload_too_large" },
    });
  });

  test("end after seven days, and are swept", async () => {
    const { body } = await share();
    await service.ports.clock.advance(WEEK_SECS - 60);
    expect((await read(body.shareId)).status).toBe(200);
    await service.ports.clock.advance(61);
    expect((await read(body.shareId)).status).toBe(404);
    expect((await (await service.call(owner, "GET", "/runs/shared")).json()).items).toEqual([]);
    expect(await service.ports.sharedRuns.sweep(await service.ports.clock.now())).toBeGreaterThan(
      0,
    );
    expect(await rows()).toEqual([]);
  });

  test("are at most a hundred at a time", async () => {
    for (let count = 0; count < 90; count += 1) expect((await share()).status).toBe(200);
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => share()))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(await share()).toMatchObject({ status: 409, body: { code: "conflict" } });
  });
});
