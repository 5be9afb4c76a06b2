import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { stream } from "hono/streaming";
import { expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { PaymentMiddleware } from "./hono.ts";

test.each(["text/plain", "text/event-stream"])(
  "the repeat of a paid stream of %s can be read, and is free",
  async (type) => {
    const service = createFakeService();
    const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
    const app = new Hono();
    app.use(PaymentMiddleware(payments, { "POST /ask": { planId: "42" } }));
    app.post("/ask", (c) => {
      c.header("content-type", type);
      return stream(c, async (out) => {
        await out.write("data: 1\n\n");
        await out.sleep(20);
        await out.write("data: 2\n\n");
      });
    });
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`;
    const headers = { "payment-signature": tokenTextOf("42"), "idempotency-key": "number-17" };
    const ask = async () => {
      const answer = await fetch(url, { method: "POST", headers, body: "why" });
      return [answer.headers.get("idempotency-replayed"), await answer.text()];
    };
    const [first, second] = [await ask(), await ask()];
    server.closeAllConnections();
    server.close();
    expect(first).toEqual([null, expect.stringMatching(/^data: 1\n\ndata: 2\n\n/)]);
    expect(second).toEqual(["true", first[1]]);
    expect(service.called("settle")).toHaveLength(1);
  },
);
