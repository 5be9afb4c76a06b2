import { expect, test } from "vitest";
import type { Outbound, OutboundEvent } from "@/lib/domain/outbound-ports.ts";
import { anyAnswers } from "./any-answers.ts";

const asked: string[] = [];
const outbound: Outbound = {
  async *send({ method, url }): AsyncGenerator<OutboundEvent, void> {
    asked.push(`${method} ${url}`);
    if (url.includes("dead")) {
      yield { type: "failed", code: "connect_refused", message: "No one listens.", ms: 1 };
    } else if (url.includes("closed")) {
      yield { type: "refused", code: "port_refused", message: "Not this port.", ms: 1 };
    } else {
      yield { type: "headers", status: 500, headers: [], ms: 1 };
      yield { type: "end", bytes: 0, cut: null, ms: 2 };
    }
  },
};
const answers = (...urls: string[]) => anyAnswers(outbound, "0x1", urls);

test("any answer is one, a failed connection is none, and what was not asked is unknown", async () => {
  expect(await answers("https://dead.example/ask/:id")).toBe(false);
  expect(await answers("https://dead.example/ask", "https://works.example/ask")).toBe(true);
  expect(await answers("https://closed.example/ask")).toBe(true);
  expect(await answers("not a URL")).toBe(true);
});

test("each server is asked for the head of its root once, never for a paid path", async () => {
  asked.length = 0;
  await answers("https://works.example/ask", "https://works.example/other");
  expect(asked).toEqual(["HEAD https://works.example/"]);
});
