import { describe, expect, test } from "vitest";
import { encodeHeader } from "../protocol/x402-headers.ts";
import { apiKeyOf, BUILDER, createFakeService, SUBSCRIBER } from "../test-support/fake-service.ts";
import { runCommand } from "./command-line.ts";
import { createVerbContext } from "./context.ts";

const FORGED = "eip155:1\r\u001b[2K0.01 USDC by exact on eip155:1\u202e\u200b\u009b2K";
const offer = {
  scheme: "exact",
  network: FORGED,
  amount: "900000000",
  asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  payTo: BUILDER,
  maxTimeoutSeconds: 60,
  extra: { name: "USDC" },
};

/** What a command prints where its URL answers this. */
async function run(args: string[], answer: () => Response) {
  const printed: string[] = [];
  const print = (text: string) => {
    printed.push(text);
  };
  const context = {
    ...createVerbContext({
      apiKey: apiKeyOf(SUBSCRIBER),
      baseUrl: "https://pay.example",
      fetch: createFakeService().fetch,
      reach: async () => answer(),
    }),
    readFile: async () => "",
    serveMcp: async () => {},
  };
  await runCommand(args, context, { out: print, error: print });
  return printed.join("");
}

const asking = (body: object) => () =>
  Response.json(body, {
    status: 402,
    headers: { "payment-required": encodeHeader({ x402Version: 2, accepts: [offer] }) },
  });

describe("a seller's text cannot change what a command prints beside it", () => {
  test.each([
    ["the network of a price", "price", asking({}), /^900\.00 USDC by exact on eip155:1 /],
    ["the network of an offer that is not paid", "call", asking({}), /^402, nothing charged; not/],
    ["a refusal", "call", asking({ message: FORGED }), /^402, nothing charged; not paid/],
  ])("%s", async (_, command, answer, begins) => {
    const printed = await run([command, "https://agent.example/ask"], answer);
    expect(printed).toMatch(begins);
    expect(printed.replaceAll("\n", "")).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });
});
