import { afterEach, describe, expect, test } from "vitest";
import { inFull } from "@/lib/testing/in-full.ts";
import { type Stage, setStage } from "../../test-support/agents/all-agents.ts";
import { open, until } from "../../test-support/agents/ask.ts";

const stages: Stage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

const CHUNK = new Uint8Array(256 * 1024);
const MIB = 1024 * 1024;
const TOTAL = inFull(1024, 512) * MIB;

describe.each(["Express 5", "Hono"])("a stream behind %s", (adapter) => {
  const setUp = async () => {
    const stage = await setStage(adapter);
    stages.push(stage);
    const made = { bytes: 0 };
    stage.work = () => ({
      headers: { "content-type": "application/octet-stream" },
      body: (async function* () {
        for (; made.bytes < TOTAL; made.bytes += CHUNK.byteLength) yield CHUNK;
      })(),
    });
    return { stage, made };
  };

  test(`of ${TOTAL / MIB} MiB passes through in flat memory`, async () => {
    const { stage } = await setUp();
    const incoming = await open(stage.origin, "/ask");
    const before = process.memoryUsage.rss();
    let peak = before;
    let received = 0;
    for await (const chunk of incoming) {
      received += chunk.byteLength;
      if (received % (16 * MIB) < CHUNK.byteLength) {
        peak = Math.max(peak, process.memoryUsage.rss());
      }
    }
    expect(received).toBe(TOTAL);
    const grown = Math.round((peak - before) / MIB);
    console.log(
      `memory: ${adapter}: ${TOTAL / MIB} MiB streamed, resident memory grew by ${grown} MiB`,
    );
    expect(grown).toBeLessThan(200);
    await until(() => stage.lastRequest() !== undefined);
    expect(stage.settled()).toBe(1);
  }, 60_000);

  test("waits for a slow reader", async () => {
    const { stage, made } = await setUp();
    const incoming = await open(stage.origin, "/ask");
    incoming.pause();
    await until(() => made.bytes > 0);
    let last = -1;
    let quietReadings = 0;
    await until(() => {
      quietReadings = made.bytes === last ? quietReadings + 1 : 0;
      last = made.bytes;
      return quietReadings >= 20;
    });
    expect(made.bytes).toBeLessThan(32 * MIB);
    incoming.destroy();
    await until(() => stage.lastRequest() !== undefined);
    expect(stage.settled()).toBe(1);
  });
});
