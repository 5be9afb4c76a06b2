import { expect, test } from "vitest";
import { apiKeyOf, createFakeService, planOf, SUBSCRIBER } from "../test-support/fake-service.ts";
import { createVerbContext } from "./context.ts";
import { answerMcp } from "./mcp-server.ts";

test("a repeat that pays nothing because its limits changed is told to call again with the earlier ones", async () => {
  const accepts = ["42", "43"].map((planId) => ({ scheme: "svc:erc4337", planId, amount: "1" }));
  const asking = { paymentRequired: { x402Version: 2, accepts } };
  const context = createVerbContext({
    apiKey: apiKeyOf(SUBSCRIBER),
    baseUrl: "https://pay.example",
    fetch: createFakeService([planOf("42"), planOf("43")]).fetch,
    async reach({ headers }) {
      if (!headers.has("payment-signature")) return Response.json(asking, { status: 402 });
      throw new TypeError("The connection broke off.");
    },
  });
  const call = async (planId: string) => {
    const given = { url: "https://agent.example/ask", planId, idempotencyKey: "mine" };
    const params = { name: "call", arguments: given };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const { result } = (await answerMcp(message, context)) as {
      result: { isError: boolean; content: { text: string }[] };
    };
    return [result.isError, result.content.map(({ text }) => text).join()];
  };
  const lost = "The answer to the paid request was lost";
  expect(await call("42")).toEqual([true, expect.stringContaining(lost)]);
  const [isError, text] = await call("43");
  expect(isError).toBe(true);
  expect(text).toContain("may be paid by plan 42");
  expect(text).toContain("the earlier limits");
  expect(text).not.toContain(lost);
});
