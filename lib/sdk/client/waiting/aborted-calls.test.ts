import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiKeyOf, createFakeService, SUBSCRIBER } from "../../test-support/fake-service.ts";
import { Payments } from "../payments.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** An agent that never answers. */
let left = 0;
const agent = createServer((_, response) => response.once("close", () => (left += 1)));
let url: string;
beforeAll(async () => {
  await new Promise<void>((listening) => agent.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/ask`;
});
afterAll(() => {
  agent.closeAllConnections();
  agent.close();
});

const service = createFakeService();
const payments = Payments.getInstance({ apiKey: apiKeyOf(SUBSCRIBER), fetch: service.fetch });

test.each([
  ["the platform's fetch", {}],
  ["a fetch that does not heed its signal", { fetch: () => new Promise<Response>(() => {}) }],
])("a call by %s ends with its signal, whatever was collected meanwhile", async (_, options) => {
  const stop = new AbortController();
  const arrived = new Promise((resolve) => agent.once("request", resolve));
  const called = payments.fetch(url, { signal: stop.signal }, options);
  if (!("fetch" in options)) await arrived;
  for (let turn = 0; turn < 10; turn += 1) await setImmediate(collectGarbage());
  stop.abort(new Error("enough"));
  await expect(called).rejects.toThrow("enough");
  if (!("fetch" in options)) await expect.poll(() => left).toBe(1);
});
