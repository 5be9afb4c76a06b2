import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { ask } from "../../test-support/agents/ask.ts";
import { apiKeyOf, BUILDER, createFakeService } from "../../test-support/fake-service.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createExpressMiddleware } from "./express.ts";

test("Express answers no paid request with 304", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const app = express();
  const options = { queue: createMemoryQueue(), report: false };
  app.use(createExpressMiddleware(payments, { "GET /verdict": { planId: "42" } }, options));
  app.get("/verdict", (_request, response) => response.json({ answer: "yes" }));
  const server = createServer(app as never).listen(0);
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const first = await ask(origin, "/verdict", { method: "GET" });
    for (const tag of ["*", String(first.headers.etag)]) {
      const headers = { "if-none-match": tag };
      const answer = await ask(origin, "/verdict", { method: "GET", headers });
      expect([answer.status, answer.json()]).toEqual([200, { answer: "yes" }]);
    }
    expect([service.called("settle").length, service.called("release").length]).toEqual([3, 0]);
  } finally {
    server.close();
  }
});
