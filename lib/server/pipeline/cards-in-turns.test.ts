import { expect, test } from "vitest";
import type { CardProcessor } from "@/lib/domain/card-ports.ts";
import { listInTurns } from "./cards-in-turns.ts";

test("T20: an account that lists its cards without end has few under way, and delays others by a list", async () => {
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
  expect(listed).toEqual(Array(10).fill("many"));
  while (open.length > 0) {
    open.shift()?.();
    await new Promise(setImmediate);
  }
  const all = await ends;
  expect(all.filter(({ status }) => status === "rejected")).toHaveLength(280);
  expect(all.at(-1)).toEqual({ status: "fulfilled", value: [] });
  // In turn with the other account, not after all of its lists.
  expect(listed.indexOf("other")).toBeLessThan(13);
});

test("of a thousand accounts that list their cards, some wait and the others are told to come again", async () => {
  const cards = listInTurns({
    listPaymentMethods: () => new Promise(() => {}),
  } as unknown as CardProcessor);
  const codes: string[] = [];
  for (let n = 0; n < 1_000; n += 1)
    cards.listPaymentMethods(`${n}`).catch((cause) => codes.push(cause.code));
  await new Promise(setImmediate);
  expect(codes).toEqual(Array(890).fill("unavailable"));
});
