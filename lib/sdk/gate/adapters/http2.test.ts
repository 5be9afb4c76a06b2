import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { Payments } from "../../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  tokenTextOf,
} from "../../test-support/fake-service.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";
import type { PriceFunction } from "../routes.ts";
import { createNodeListener } from "./node.ts";

let stop = () => {};
afterEach(() => stop());

/** An agent that speaks HTTP/2, and a client of it. */
async function serve(
  work: (incoming: Http2ServerRequest, outgoing: Http2ServerResponse) => unknown,
  credits: number | PriceFunction<Request> = 1,
) {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const options = { queue: createMemoryQueue(), report: false, logger: { error: () => {} } };
  const route = { planId: "42", credits };
  const routes = { "POST /ask": route, "GET /ask": route };
  const server = createServer(
    createNodeListener(payments, routes, work as never, options) as never,
  );
  await new Promise<void>((done) => server.listen(0, done));
  const { port } = server.address() as AddressInfo;
  const client: ClientHttp2Session = connect(`http://127.0.0.1:${port}`);
  stop = () => {
    client.close();
    server.close();
  };
  let hear = () => {};
  const heard = new Promise<void>((done) => {
    hear = done;
  });
  const post = (body: string, path = "/ask", method = "POST") =>
    new Promise<string>((resolve, reject) => {
      const head = { ":method": method, ":path": path, "payment-signature": tokenTextOf("42") };
      const sent = client.request(head, { endStream: body === "" });
      let text = "";
      sent.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        hear();
      });
      sent.on("end", () => resolve(text)).on("error", reject);
      if (body !== "") sent.end(body);
    });
  return { service, post, heard, url: `http://127.0.0.1:${port}/ask` };
}

test("a body of HTTP/2, which states no length, is priced and reaches the work", async () => {
  const credits = vi.fn(async (request: Request) => (await request.text()).length || 1);
  const { service, post, url } = await serve(async (incoming, outgoing) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    outgoing.end(`got ${text}`);
  }, credits);
  expect(await post("12345")).toBe("got 12345");
  for (const method of ["POST", "GET"]) expect(await post("", "/ask", method)).toBe("got ");
  // A `Request` of a GET has no body, and the price of what the work would read is unknown.
  expect(await post("12345", "/ask", "GET")).toContain("Bad Request");
  const [paid, ...empty] = service.called("settle");
  expect(paid?.body.maxAmount).toBe("5");
  expect(empty.map(({ body }) => body.maxAmount)).toEqual(["1", "1"]);
  expect(paid?.body.paymentRequired).toMatchObject({ resource: { url } });
});

test.each<[string, string, (outgoing: Http2ServerResponse) => unknown]>([
  ["throws after its first event", "/ask", () => Promise.reject(new Error("no luck"))],
  ["destroys its response", "/ask", (outgoing) => outgoing.destroy()],
  ["throws where nothing is paid", "/free", () => Promise.reject(new Error("no luck"))],
])("an answer whose work %s resets its stream", async (_, path, breakOff) => {
  const { post, heard } = await serve(async (_incoming, outgoing) => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write("data: 1\n\n");
    await heard;
    await breakOff(outgoing);
  });
  await expect(post("?", path)).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
});
