import { expect, test, vi } from "vitest";
import type { GateService } from "../service.ts";
import { createLeaseBook, type Question } from "./lease-book.ts";

/** A book, and what it asks of a service that lends what is asked. */
function openBook() {
  const calls: string[] = [];
  const facilitator = {
    leasePermissions: async ({ x402AccessToken, ...asked }: Question & { requests: number }) => {
      calls.push(`lease ${x402AccessToken.slice(0, 10)} ${asked.requests}`);
      const verification = { isValid: true, credits: "1" };
      return { ...asked, seconds: 5, leaseId: "lse_1", verification };
    },
    releasePermissions: async ({ agentRequestId }: { agentRequestId: string }) =>
      void calls.push(`release ${agentRequestId}`),
  };
  const book = createLeaseBook(
    { facilitator } as unknown as GateService,
    { credits: 100, seconds: 30 },
    { begin: () => {}, end: () => {} },
  );
  return { ...book, calls };
}

const questionOf = (x402AccessToken: string, maxAmount = "1", url = "/ask") =>
  ({ x402AccessToken, maxAmount, paymentRequired: { resource: { url } } }) as unknown as Question;

test("a call that costs more than `credits` is not leased", async () => {
  const { take, note, calls } = openBook();
  for (const amount of ["101", "50"]) note(questionOf("a", amount));
  await take(questionOf("a", "101"));
  await vi.waitFor(
    async () => {
      await take(questionOf("a", "50"));
      expect(calls).toEqual(["lease a 2"]);
    },
    { timeout: 10_000 },
  );
});

test("a token with many URLs leaves room for others, and long ones are not kept without end", async () => {
  const { take, note, calls } = openBook();
  for (let index = 0; index < 150; index++) note(questionOf("a", "1", "/x".repeat(index)));
  await take(questionOf("a", "1", "/x".repeat(149)));
  expect(calls).toEqual([]);
  const long = (index: number) => `${index}`.padEnd(1024 * 1024);
  for (let index = 0; index < 40; index++) note(questionOf(long(index)));
  await take(questionOf(long(39)));
  expect(calls).toEqual([]);
  await take(questionOf(long(0)));
  expect(calls).toHaveLength(1);
});
