import { expect, test } from "vitest";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import { listInTurns } from "./cards-in-turns.ts";

test("T20: an account that lists its cards without end sends two requests at once, and delays others by a list", async () => {
  const listed: string[] = [];
  const open: (() => void)[] = [];
  const listing = async (account: string) => {
    listed.push(account);
    await new Promise<void>((done) => open.push(done));
    return [];
  };
  const cards = listInTurns({ listPaymentMethods: listing } as unknown as CardProcessor);
  const asked = [...Array(300).fill("many"), "other"].map(cards.listPaymentMethods);
  const ends = Promise.allSettled(asked);
  await new Promise(setImmediate);
  expect(listed).toEqual(["many", "many"]);
  while (open.length > 0) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  const all = await ends;
  expect(all.filter(({ status }) => status === "rejected")).toHaveLength(290);
  expect(all.at(-1)).toEqual({ status: "fulfilled", value: [] });
  // In turn with the other account, not after its ten.
  expect(listed.indexOf("other")).toBeLessThan(4);
});
