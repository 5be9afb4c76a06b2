import { encodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../exchange.ts";
import { envelopeOf } from "./check.ts";
import { runChecks } from "./run-checks.ts";

const URL_CALLED = "https://seller.example/quote";
const KNOWN = {
  plans: {},
  agents: {},
  networks: { "svc:erc4337": "eip155:84532", "svc:card-delegation": "card-processor" },
  schemeAliases: ["nvm"],
};

/** The findings of a 402, by their id; version 2 is in the header, version 1 in the body. */
function check(envelope: object) {
  const found = findings(envelope);
  return (id: string) => found.find((one) => one.id === id);
}

function findings(envelope: object) {
  const isEarlier = "x402Version" in envelope && envelope.x402Version === 1;
  const headers: [string, string][] = isEarlier
    ? []
    : [[X402_HEADERS.PAYMENT_REQUIRED, encodeHeader(envelope)]];
  const text = JSON.stringify(isEarlier ? envelope : {});
  const outcome = { kind: "answered" as const, status: 402, headers, text, cut: null, ms: 80 };
  const ask: Exchange = { method: "GET", url: URL_CALLED, outcome };
  expect(envelopeOf(ask)).not.toBeNull();
  return runChecks({ verb: "GET", pattern: URL_CALLED, ask, known: KNOWN });
}

const offer = { scheme: "exact", network: "eip155:84532", amount: "1", payTo: "a", asset: "b" };

describe("a 402 that is made to keep its checks busy", () => {
  test.each([
    ["labels", "a-"],
    ["open braces", "{"],
    ["placeholders that do not end", "${ {{ "],
    ["placeholders of one letter that do not end", "{{a"],
    ["keys that do not end", "svc-live:a"],
    ["addresses that do not end", "10.1.a"],
    ["starts of private keys", "-----BEGIN PRIVATE "],
  ])("with 256 KB of %s is checked at once", (_, part) => {
    const error = part.repeat(Math.ceil(250_000 / part.length));
    const start = process.cpuUsage();
    const finding = check({ x402Version: 1, accepts: [offer], error })("D16");
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
    expect(finding?.state).toBe("pass");
  });

  test.each([
    ["a text", { note: "call db.internal" }, "db.internal"],
    ["a name", { "my-db.svc.cluster.local": 1 }, "my-db.svc.cluster.local"],
    ["the end of a long text", { note: `${"x".repeat(20_000)} {{price}}` }, "placeholder"],
    ["a list", { list: [{ note: "Hello $" + "{name}" }] }, "placeholder"],
  ])("a leak in %s is found", (_, extensions, said) => {
    expect(check({ x402Version: 2, accepts: [offer], extensions })("D16")).toMatchObject({
      state: "fail",
      sentence: expect.stringContaining(said),
    });
  });

  test("two texts beside each other are no bearer token", () => {
    const extensions = { list: ["Bearer", "abcdefghijklmnopqrst"] };
    expect(check({ x402Version: 2, accepts: [offer], extensions })("D16")?.state).toBe("pass");
  });
});

test("what an agent writes can’t change what a terminal shows beside it", () => {
  const hostile = "https://a.example/\u009b2J\u202e\u001b[31m";
  const extra = { httpVerb: hostile, agentId: hostile };
  const accepts = [{ ...offer, scheme: "svc:erc4337", network: hostile, planId: hostile, extra }];
  const envelope = { x402Version: 2, accepts, resource: { url: hostile }, error: hostile };
  const found = findings(envelope).map(({ sentence }) => sentence);
  expect(found.join(" ")).toContain("a.example");
  expect(found.filter((sentence) => /[\p{Cc}\p{Cf}]/u.test(sentence))).toEqual([]);
});

const HOSTILE = { toString: 1, valueOf: 1 };

describe("an offer whose members are objects that name toString", () => {
  const members = ["scheme", "network", "amount", "asset", "payTo", "planId", "extra"];
  const inExtra = ["httpVerb", "name", "version", "planId", "agentId"];
  const changes = [
    ...members.map((name) => ({ [name]: HOSTILE })),
    ...inExtra.map((name) => ({ extra: { [name]: HOSTILE } })),
    ...inExtra.map((name) => ({ scheme: "nvm:erc4337", extra: { [name]: HOSTILE } })),
    { scheme: "nvm:erc4337", network: HOSTILE },
  ];
  test.each(changes)("is checked in either version: %j", (change) => {
    const accepts = [{ ...offer, ...change }];
    expect(check({ x402Version: 2, accepts, resource: { url: HOSTILE } })("D07")).toBeDefined();
    expect(check({ x402Version: 1, accepts, error: HOSTILE })("D07")).toBeDefined();
  });
});
