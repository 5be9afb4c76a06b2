import type { OrderReceipt } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { orderQuery } from "./order-query.ts";

const data = { status: "charging" } as OrderReceipt;
const state = { data, dataUpdateCount: 0, errorUpdateCount: 0 };

test("an order is polled by the answers so far, however often its page is rendered", () => {
  const { refetchInterval } = orderQuery("o1", data);
  for (let render = 0; render < 500; render++) expect(refetchInterval({ state })).toBe(1_000);
  const answered = { ...state, dataUpdateCount: 100, errorUpdateCount: 39 };
  expect(refetchInterval({ state: answered })).toBe(5_000);
  expect(refetchInterval({ state: { ...answered, errorUpdateCount: 40 } })).toBe(false);
});

test("an order that has ended is not polled", () => {
  const { refetchInterval } = orderQuery("o1", data);
  for (const status of ["minted", "declined", "refunded"] as const) {
    const ended = { ...data, status };
    expect(refetchInterval({ state: { ...state, data: ended } })).toBe(false);
    expect(orderQuery("o1", ended).enabled).toBe(false);
  }
});
