import type { RequestListener } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { createOutbound, type OUTBOUND_LIMITS } from "@/lib/adapters/outbound/outbound.ts";
import { listen, OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import type { SendEvent } from "@/lib/playground/exchange.ts";
import { sendForPlayground } from "./playground-send.ts";

const servers: Awaited<ReturnType<typeof listen>>[] = [];
afterEach(() => Promise.all(servers.splice(0).map(({ close }) => close())));

type Wish = {
  limits?: Partial<typeof OUTBOUND_LIMITS>;
  limitSecs?: number;
  beatMs?: number;
  onEvent?: (event: SendEvent) => void;
};

async function send(handle: RequestListener, { limits, onEvent, ...wish }: Wish = {}) {
  const server = await listen(handle);
  servers.push(server);
  const outbound = createOutbound({ policy: OPEN, userAgent: "Test/1", ...(limits && { limits }) });
  const request = { method: "GET", url: server.url, headers: [], body: null };
  const { signal } = new AbortController();
  const events: SendEvent[] = [];
  for await (const event of sendForPlayground({
    ...{ outbound, account: "0x1", request, signal },
    ...wish,
  })) {
    events.push(event);
    onEvent?.(event);
  }
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("The request had no end.");
  return { events, exchange: last.exchange };
}

describe("a request of the playground", () => {
  test("waits for a slow agent as long as the person chose, also between the parts of its response", async () => {
    const { exchange } = await send(
      (_request, response) => {
        setTimeout(() => response.writeHead(200).write("first"), 80);
        setTimeout(() => response.end(" last"), 160);
      },
      { limits: { headersMs: 20, idleMs: 20 }, limitSecs: 5 },
    );
    expect(exchange.answer).toMatchObject({ status: 200, body: "first last", cut: null });
  });

  test("ends at the time limit, and names it", async () => {
    const { exchange } = await send(() => {}, { limitSecs: 0.1 });
    expect(exchange.failure).toMatchObject({ kind: "failed", limitSecs: 0.1 });
    expect(exchange.failure?.code).toMatch(/^(headers|total)_timeout$/);
  });

  test("says that it is under way while nothing arrives", async () => {
    const { events } = await send(
      (_request, response) => void setTimeout(() => response.end("done"), 120),
      { beatMs: 20 },
    );
    const beats = events.filter(
      (event) => event.type === "progress" && / of 30 s\.$/.test(event.words),
    );
    expect(beats.length).toBeGreaterThan(1);
  });

  test("shows the response as it arrives, before its end", async () => {
    let finish = () => {};
    const seen: string[] = [];
    const { exchange } = await send(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: one\n\n");
        finish = () => response.end("data: two\n\n");
      },
      {
        beatMs: 20,
        onEvent: (event) => {
          if (event.type !== "partial") return;
          seen.push(event.answer.body);
          // Only what was shown lets the agent go on.
          if (event.answer.body.includes("one")) finish();
        },
      },
    );
    expect(seen.at(0) === "" || seen.at(0) === "data: one\n\n").toBe(true);
    expect(exchange.answer?.body).toBe("data: one\n\ndata: two\n\n");
  });

  test("shows the beginning of a long response only, and delivers all of it", async () => {
    const { events, exchange } = await send((_request, response) =>
      response.end("x".repeat(400_000)),
    );
    for (const event of events) {
      if (event.type === "partial") expect(event.answer.body.length).toBeLessThanOrEqual(65_536);
    }
    expect(exchange.answer?.bytes).toBe(400_000);
  });
});
