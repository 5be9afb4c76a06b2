import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import { createNodeListener } from "./node.ts";

test("a body of HTTP/2, which states no length, is priced and reaches the work", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const credits = vi.fn(async (request: Request) => (await request.text()).length || 1);
  const listener = createNodeListener(
    payments,
    { "POST /ask": { planId: "42", credits } },
    async (incoming, outgoing) => {
      let text = "";
      for await (const chunk of incoming as unknown as AsyncIterable<Buffer>) text += chunk;
      (outgoing as unknown as { end(text: string): void }).end(`got ${text}`);
    },
    { queue: createMemoryQueue(), report: false },
  );
  const server = createServer(listener as never);
  await new Promise<void>((done) => server.listen(0, done));
  const { port } = server.address() as AddressInfo;
  const client = connect(`http://127.0.0.1:${port}`);
  const post = (body: string) =>
    new Promise<string>((resolve, reject) => {
      const head = { ":method": "POST", ":path": "/ask", "payment-signature": tokenTextOf("42") };
      const sent = client.request(head, { endStream: body === "" });
      let text = "";
      sent.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      sent.on("end", () => resolve(text)).on("error", reject);
      if (body !== "") sent.end(body);
    });
  try {
    expect(await post("12345")).toBe("got 12345");
    expect(await post("")).toBe("got ");
    const [paid, empty] = service.called("settle");
    expect([paid?.body.maxAmount, empty?.body.maxAmount]).toEqual(["5", "1"]);
    const url = `http://127.0.0.1:${port}/ask`;
    expect(paid?.body.paymentRequired).toMatchObject({ resource: { url } });
  } finally {
    client.close();
    server.close();
  }
});
