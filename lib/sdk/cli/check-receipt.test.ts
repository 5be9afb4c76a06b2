import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createStatementKeys } from "@/lib/adapters/crypto/statement-keys.ts";
import { checkReceipt } from "./check-receipt.ts";
import { createVerbContext } from "./context.ts";

const own = createStatementKeys([randomBytes(32)], "https://pay.example");
const context = createVerbContext({
  apiKey: undefined,
  baseUrl: "https://pay.example",
  fetch: async () => Response.json({ keys: own.keys }),
});
const offer = own.sign(
  "offer",
  {
    version: 1,
    resourceUrl: "https://agent.example/ask",
    scheme: "exact",
    network: "eip155:84532",
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    amount: "10000",
    validUntil: 1_900_000_000,
  },
  "eip712",
);
const settlementOf = (count: number) =>
  JSON.stringify({
    extensions: { "offer-receipt": { info: { offers: Array(count).fill(offer) } } },
  });
const check = (count: number) => checkReceipt.run(context, { receipt: settlementOf(count) });

describe("checking many statements at once", () => {
  test("more than 20 are refused before any is checked", async () => {
    const start = process.cpuUsage();
    await expect(check(200)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("200"),
    });
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000);
  });

  test("other work of the process has its turn between two of them", async () => {
    let turns = 0;
    let isDone = false;
    const take = () => {
      turns += 1;
      if (!isDone) setImmediate(take);
    };
    setImmediate(take);
    const { json } = await check(20).finally(() => {
      isDone = true;
    });
    expect(json).toMatchObject({ isValid: true, statements: Array(20).fill({ isValid: true }) });
    expect(turns).toBeGreaterThanOrEqual(19);
  });
});

describe("a settlement", () => {
  const payload = {
    version: 1,
    network: "eip155:84532",
    resourceUrl: "https://agent.example/ask",
    payer: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    issuedAt: 1_790_000_000,
  } as const;
  const settlement = {
    success: true,
    creditsRedeemed: "2",
    extensions: { "offer-receipt": { info: { receipt: own.sign("receipt", payload, "jws") } } },
  };

  test("is found in what `call --json` prints", async () => {
    const printed = { status: 200, receipt: settlement, agentRequestId: "req_1" };
    const { json } = await checkReceipt.run(context, { receipt: JSON.stringify(printed) });
    expect(json).toMatchObject({ isValid: true, statements: [{ kind: "receipt", payload }] });
  });

  test("of which other fields are changed is shown with the fields that are signed", async () => {
    const changed = JSON.stringify({ ...settlement, creditsRedeemed: "900" });
    const { text } = await checkReceipt.run(context, { receipt: changed });
    expect(text).toContain("Only these fields are signed:");
    expect(text).not.toContain("creditsRedeemed");
  });

  test("that a call did not get is no receipt", async () => {
    const { json } = await checkReceipt.run(context, { receipt: '{"receipt":null}' });
    expect(json).toEqual({ isValid: false });
  });
});
