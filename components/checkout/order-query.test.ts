import { type OrderReceipt, PaymentsError } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { orderQuery } from "./order-query.ts";

const data = { status: "charging" } as OrderReceipt;
const state = { data, error: null, dataUpdateCount: 0, errorUpdateCount: 0 };

test("an order is polled by the answers so far, however often its page is rendered", () => {
  const { refetchInterval } = orderQuery("o1", data);
  for (let render = 0; render < 500; render++) expect(refetchInterval({ state })).toBe(1_000);
  const answered = { ...state, dataUpdateCount: 100, errorUpdateCount: 39 };
  expect(refetchInterval({ state: answered })).toBe(5_000);
  expect(refetchInterval({ state: { ...answered, errorUpdateCount: 40 } })).toBe(false);
});

test("an order that has ended is not polled", () => {
  const { refetchInterval } = orderQuery("o1", data);
  const minted = { ...data, status: "minted" } as OrderReceipt;
  expect(refetchInterval({ state: { ...state, data: minted } })).toBe(false);
  const error = new PaymentsError("payment_refused", "Declined.");
  expect(refetchInterval({ state: { ...state, error } })).toBe(false);
  expect(orderQuery("o1", minted).enabled).toBe(false);
});
