import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { stream, streamText } from "hono/streaming";
import { expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { PaymentMiddleware } from "./hono.ts";

/** Asks the same question twice on a Node server. */
async function askTwice(work: (c: Context) => Response) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const app = new Hono();
  app.use(PaymentMiddleware(payments, { "POST /ask": { planId: "42" } }));
  app.post("/ask", work);
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`;
  const headers = { "payment-signature": tokenTextOf("42"), "idempotency-key": "number-17" };
  const ask = async () => {
    const answer = await fetch(url, { method: "POST", headers, body: "why" });
    return [answer.headers.get("idempotency-replayed"), await answer.text()];
  };
  try {
    return { answers: [await ask(), await ask()], charges: service.called("settle").length };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each(["text/plain", "text/event-stream"])(
  "the repeat of a paid stream of %s can be read, and is free",
  async (type) => {
    const { answers, charges } = await askTwice((c) => {
      c.header("content-type", type);
      return stream(c, async (out) => {
        await out.write("data: 1\n\n");
        await out.sleep(20);
        await out.write("data: 2\n\n");
      });
    });
    const [first, second] = answers;
    expect(first).toEqual([null, expect.stringMatching(/^data: 1\n\ndata: 2\n\n/)]);
    expect(second).toEqual(["true", first?.[1]]);
    expect(charges).toBe(1);
  },
);

test.each<[string, (c: Context) => Response]>([
  ["a text with a trailer header", (c) => c.text('"why"', 200, { trailer: "x-sum" })],
  [
    "JSON written as a stream",
    (c) => {
      const response = streamText(c, async (out) => void (await out.write('"why"')));
      response.headers.set("content-type", "application/json");
      return response;
    },
  ],
])("%s is held, and can be read", async (_, work) => {
  const { answers, charges } = await askTwice(work);
  expect(answers).toEqual([
    [null, '"why"'],
    ["true", '"why"'],
  ]);
  expect(charges).toBe(1);
});
