import { afterEach, expect, test, vi } from "vitest";
import type { SendEvent } from "@/lib/playground/exchange.ts";
import { playRun } from "./play-run.ts";

afterEach(() => void vi.unstubAllGlobals());

test("a request that the service sends has its time by this browser's clock", async () => {
  const answer = { status: 200, headers: [], body: "free", bytes: 4, cut: null };
  const event: SendEvent = {
    type: "done",
    exchange: { startedAt: "2020-01-01T00:00:00.000Z", durationMs: 5, answer, failure: null },
  };
  vi.stubGlobal("fetch", async () => new Response(`${JSON.stringify(event)}\n`));
  const run = playRun({
    from: "server",
    input: {
      method: "GET",
      url: "https://agent.example/ask",
      headers: [],
      body: null,
      token: { kind: "mint" },
    },
    service: { payer: "self", opened: () => null, end: async () => null },
    signal: new AbortController().signal,
  } as never);
  const startedAt: number[] = [];
  for await (const each of run)
    if (each.type === "step" && each.step.exchange)
      startedAt.push(Date.parse(each.step.exchange.startedAt));
  expect(startedAt.length).toBeGreaterThan(0);
  for (const at of startedAt) expect(Math.abs(Date.now() - at)).toBeLessThan(60_000);
});
