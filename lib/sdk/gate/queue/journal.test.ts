import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createJournal } from "./journal.ts";
import { findNode, type NodeParts } from "./node-files.ts";
import type { SettlementJob } from "./settlement-queue.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("calls of a lease that come in together are written at once, each before its write resolves", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-journal-"));
  folders.push(folder);
  const { files } = findNode() as NodeParts;
  const writes: string[] = [];
  const appendNow: typeof files.appendNow = (fd, text) => {
    writes.push(text);
    files.appendNow(fd, text);
  };
  const journal = createJournal({ ...files, appendNow }, folder, "a.jsonl");
  const keepOne = async (id: string) => {
    const input = { leaseId: "lse_1", agentRequestId: id };
    await journal.keep({ kind: "settle", agentRequestId: id, input });
    expect(readFileSync(join(folder, "a.jsonl"), "utf8")).toContain(id);
  };
  await keepOne("req_first");
  const together = Array.from({ length: 50 }, (_, index) => `req_${index}`);
  const inOwnCallback = () => new Promise((resolve) => setImmediate(resolve));
  await Promise.all(together.map((id) => inOwnCallback().then(() => keepOne(id))));
  expect(writes).toHaveLength(2);
});

test("a journal with calls of a lease stays as small for those of other routes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-journal-"));
  folders.push(folder);
  const { files } = findNode() as NodeParts;
  const journal = createJournal(files, folder, "a.jsonl");
  const settle = (agentRequestId: string, input: object) =>
    ({ kind: "settle", agentRequestId, input }) as SettlementJob;
  const leased = settle("req_leased", { leaseId: "lse_1", agentRequestId: "req_leased" });
  await journal.keep(leased);
  await journal.remove(leased);
  let largest = 0;
  for (let round = 0; round < 20; round++) {
    const jobs = Array.from({ length: 200 }, (_, index) =>
      settle(`req_${round}_${index}`, { x402AccessToken: "t".repeat(1000), maxAmount: "1" }),
    );
    await Promise.all(jobs.map((job) => journal.keep(job)));
    await Promise.all(jobs.map((job) => journal.remove(job)));
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    largest = Math.max(largest, ...sizes);
  }
  expect(largest).toBeLessThan(2_000_000);
});
