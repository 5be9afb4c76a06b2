import { encodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../exchange.ts";
import type { Recording } from "./check.ts";
import { faultsOf, reportChecks, runChecks } from "./run-checks.ts";

const URL_CALLED = "https://seller.example/quote";
const PAY_TO = "0x9F2c000000000000000000000000000000041aE0";
const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const SOLANA = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
const SOLANA_ADDRESS = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

type Fields = Record<string, unknown>;

const exact = (changes: Fields = {}): Fields => ({
  scheme: "exact",
  network: "eip155:84532",
  amount: "10000",
  asset: USDC,
  payTo: PAY_TO,
  maxTimeoutSeconds: 60,
  extra: { name: "USDC", version: "2" },
  ...changes,
});
const required = (accepts: unknown[], changes: Fields = {}): Fields => ({
  x402Version: 2,
  error: "Payment required",
  resource: { url: URL_CALLED, description: "One quote", mimeType: "application/json" },
  accepts,
  ...changes,
});
const earlier = (changes: Fields = {}): Fields => ({
  x402Version: 1,
  error: "X-PAYMENT header is required",
  accepts: [
    {
      scheme: "exact",
      network: "base-sepolia",
      maxAmountRequired: "10000",
      resource: URL_CALLED,
      description: "One quote",
      mimeType: "application/json",
      payTo: PAY_TO,
      maxTimeoutSeconds: 60,
      asset: USDC,
      extra: { name: "USDC", version: "2" },
      ...changes,
    },
  ],
});
const solana = (changes: Fields = {}) =>
  exact({
    network: SOLANA,
    asset: SOLANA_ADDRESS,
    payTo: SOLANA_ADDRESS,
    extra: { feePayer: SOLANA_ADDRESS },
    ...changes,
  });

type Answer = { status?: number; header?: unknown; body?: unknown };

function exchange({ status = 402, header, body = {} }: Answer): Exchange {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers: [string, string][] = [["cache-control", "no-store"]];
  if (header !== undefined) {
    const value = typeof header === "string" ? header : encodeHeader(header as object);
    headers.push([X402_HEADERS.PAYMENT_REQUIRED, value]);
  }
  const outcome = { kind: "answered" as const, status, headers, text, cut: null, ms: 80 };
  return { method: "GET", url: URL_CALLED, outcome };
}

const recording = (answer: Answer): Recording => ({
  verb: "GET",
  pattern: URL_CALLED,
  ask: exchange(answer),
  html: exchange(answer),
  again: exchange(answer),
  known: {
    plans: {},
    agents: {},
    networks: { "svc:erc4337": "eip155:84532", "svc:card-delegation": "card-processor" },
    schemeAliases: ["nvm"],
  },
  refused: [{ kind: "unparsable", what: "that is garbage", exchange: exchange(answer) }],
});
const errorsOf = (answer: Answer) => faultsOf(runChecks(recording(answer)), "error");

const tool = (document: unknown) => ({
  status: 200,
  body: {
    jsonrpc: "2.0",
    id: 1,
    result: { isError: true, content: [], structuredContent: document },
  },
});

describe("ten correct sellers of the field get no error:", () => {
  test.each<[string, Answer]>([
    ["exact", { header: required([exact()]) }],
    [
      "exact with extensions",
      {
        header: required([exact()], {
          extensions: { bazaar: { info: {} }, "payment-identifier": { info: { required: false } } },
        }),
      },
    ],
    [
      "exact on three networks",
      { header: required([exact(), exact({ network: "eip155:8453" }), solana()]) },
    ],
    ["Solana alone", { header: required([solana()]) }],
    [
      "upto",
      { header: required([exact({ scheme: "upto", extra: { facilitatorAddress: PAY_TO } })]) },
    ],
    [
      "exact by Permit2",
      { header: required([exact({ extra: { assetTransferMethod: "permit2" } })]) },
    ],
    [
      "a scheme that is not judged",
      { header: required([exact(), exact({ scheme: "batch-settlement" })]) },
    ],
    [
      "an agent id of another registry",
      {
        header: required([
          exact({ extra: { name: "USDC", version: "2", agentId: "eip155:1/22" } }),
        ]),
      },
    ],
    ["version 1", { body: earlier() }],
    ["an MCP tool", tool(required([exact()], { resource: { url: "mcp://tool/quote" } }))],
  ])("%s", (_, answer) => {
    expect(errorsOf(answer)).toEqual([]);
  });
});

describe("ten broken sellers are each told their fault:", () => {
  test.each<[string, Answer, string, RegExp]>([
    ["no offer", {}, "D03", /header is missing/],
    ["a header that is not JSON", { header: "%%%" }, "D03", /not a base64-encoded JSON/],
    ["an empty accepts", { header: required([]) }, "D07", /accepts is empty/],
    [
      "an amount in dollars",
      { header: required([exact({ amount: "0.01" })]) },
      "D07",
      /accepts\[0\]\.amount is "0.01"/,
    ],
    [
      "a network of version 1",
      { header: required([exact({ network: "base-sepolia" })]) },
      "D07",
      /accepts\[0\]\.network is "base-sepolia"/,
    ],
    [
      "a recipient that is not an address",
      { header: required([exact({ payTo: "me" })]) },
      "D07",
      /accepts\[0\]\.payTo is "me"/,
    ],
    [
      "no name of the token",
      { header: required([exact(), exact({ extra: {} })]) },
      "D07",
      /accepts\[1\]\.extra\.name is "missing"/,
    ],
    [
      "an EVM recipient on Solana",
      { header: required([solana({ payTo: PAY_TO })]) },
      "D07",
      /must be a Solana address/,
    ],
    [
      "another resource",
      { header: required([exact()], { resource: { url: "https://other.example/" } }) },
      "D05",
      /resource.url is/,
    ],
    [
      "version 1 without a price",
      { body: earlier({ maxAmountRequired: undefined }) },
      "D07",
      /maxAmountRequired is "missing"/,
    ],
    [
      "a version that never was",
      { header: required([exact()], { x402Version: 3 }) },
      "D04",
      /is 3/,
    ],
  ])("%s", (_, answer, id, sentence) => {
    const errors = errorsOf(answer);
    expect(errors.map((error) => error.id)).toContain(id);
    expect(errors.find((error) => error.id === id)?.sentence).toMatch(sentence);
  });
});

test("a report of a seller says why the checks of plans were skipped", () => {
  const report = reportChecks(recording({ header: required([exact()]) }));
  const skipped = report.filter(({ id }) => ["D06", "D08", "D09"].includes(id));
  expect(skipped.map(({ state }) => state)).toEqual(["skip", "skip", "skip"]);
});
