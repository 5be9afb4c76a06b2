import { expect, test } from "vitest";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import { createRateLimits } from "../pipeline/rate-limits.ts";
import { countedOutbound } from "./counted-outbound.ts";

const OFF = { signIn: 0, api: 0, verify: 0, outbound: 0, publicCalls: 0, pages: 0 };

function startCounting(perMinute: number) {
  const urls: string[] = [];
  const sending: Outbound = {
    async *send({ url }) {
      urls.push(url);
      yield { type: "end", bytes: 0, cut: null, ms: 1 };
    },
  };
  const { sent } = createRateLimits({ ...OFF, outbound: perMinute });
  const outbound = countedOutbound(sending, sent);
  const send = async (account: string) => {
    const request = { account, method: "GET", url: `https://agent.example/${account}` };
    for await (const event of outbound.send(request)) return event;
  };
  return { urls, send };
}

test("T39: one account sends ten requests for each run that it may start, however its runs spread them", async () => {
  const { urls, send } = startCounting(2);
  const events = [];
  for (let at = 0; at < 25; at++) events.push(await send("one"));
  expect(events.map((event) => event?.type)).toEqual([
    ...Array(20).fill("end"),
    ...Array(5).fill("refused"),
  ]);
  expect(events.at(-1)).toMatchObject({
    code: "too_many",
    message: expect.stringMatching(
      /^More than 20 requests sent for one account in a minute.* s, then send it again\.$/,
    ),
  });
  expect(await send("two")).toMatchObject({ type: "end" });
  expect(urls).toHaveLength(21);
});

test("a limit that fails otherwise is not told as one", async () => {
  const sending: Outbound = { async *send() {} };
  const outbound = countedOutbound(sending, () => Promise.reject(new Error("broken")));
  const request = { account: "one", method: "GET", url: "https://agent.example/" };
  await expect(outbound.send(request).next()).rejects.toThrow("broken");
});
