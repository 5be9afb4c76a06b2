import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { Invoice } from "@turnpike/payments/protocol";
import { expect, test, vi } from "vitest";
import { invoiceDownload } from "./invoice-pdf.ts";
import { readPdf } from "./testing/read-files.ts";

const TOKEN = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const PAID = { currency: "usd", amount: "10000000", refunded: "0" };

async function textsOf(
  some: Pick<Invoice, "currency" | "amount" | "refunded"> & Partial<Pick<Invoice, "planName">>,
) {
  const { chunks } = invoiceDownload({
    number: 1,
    issuedAt: "2026-01-31T12:00:00.000Z",
    orderId: "o",
    planId: "1",
    planName: "Calls",
    scheme: "svc:erc4337",
    seller: { address: `0x${"a".repeat(40)}` },
    buyer: { address: `0x${"b".repeat(40)}` },
    ...some,
  });
  const bytes: Buffer[] = [];
  for await (const chunk of chunks) bytes.push(Buffer.from(chunk));
  return (await readPdf(new Uint8Array(Buffer.concat(bytes)))).flat();
}

test("an invoice in the chain’s own coin names it", async () => {
  const texts = await textsOf({
    currency: `0x${"0".repeat(40)}`,
    amount: "1234567890123456",
    refunded: "617000000000000",
  });
  expect(texts).toContain("Paid: 0.001234567890123456 ETH");
  expect(texts).toContain("0.000617 ETH");
});

test("an invoice in a token of unknown decimals has the token’s whole address", async () => {
  const texts = await textsOf({ currency: TOKEN, amount: "1000000", refunded: "0" });
  expect(texts).toContain("Paid: 1,000,000 smallest units");
  expect(texts).toContain(TOKEN);
});

test.each([
  ["jpy", "150000000", "Paid: 150 JPY"],
  ["usd", "10000000", "Paid: 10.00 USD"],
  ["usdc", "1234500100", "Paid: 1,234.5001 USDC"],
])("an invoice in %s has the decimals that pages show", async (currency, amount, text) => {
  expect(await textsOf({ ...PAID, currency, amount })).toContain(text);
});

test("letters that the font lacks are marked as left out, once for letters that follow each other", async () => {
  const texts = await textsOf({ ...PAID, planName: "Yen plan 日本 語 🚀" });
  expect(texts).toContain("Yen plan […]");
  expect(texts.join("\n")).toContain("Turnpike’s pages show them");
  expect((await textsOf({ ...PAID })).join("\n")).not.toContain("[…]");
});

test("a name that is longer than its line goes on in the next one", async () => {
  const planName = `${"Research of the quarter ".repeat(5)}for all`;
  const texts = await textsOf({ ...PAID, planName });
  expect(texts.join(" ")).toContain(planName);
});

test("fonts are read once, and each file has the letters that it was given", async () => {
  await textsOf({ ...PAID, planName: "\u2126" });
  const read = vi.spyOn(fs, "readFileSync");
  syncBuiltinESMExports();
  const texts = await textsOf({ ...PAID, planName: "\u03a9" });
  const paths = read.mock.calls.map(([path]) => String(path));
  read.mockRestore();
  syncBuiltinESMExports();
  expect(paths.filter((path) => path.endsWith(".ttf"))).toEqual([]);
  expect(texts).toContain("\u03a9");
});

test("others have a turn before each font is written, once this one has lasted", async () => {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
  const wait = vi.spyOn(globalThis, "setImmediate");
  await textsOf(PAID);
  const turns = wait.mock.calls.length;
  for (const spy of [clock, wait]) spy.mockRestore();
  expect(turns).toBeGreaterThanOrEqual(3);
});
