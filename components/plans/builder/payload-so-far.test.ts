import { expect, test } from "vitest";
import { MARKET } from "../testing/arbitrary-plan.ts";
import { payloadSoFar } from "./payload-of-draft.ts";
import { newDraft, type PlanDraft } from "./plan-draft.ts";
import { serviceRules } from "./service-rules.ts";

const address = "0x54F6EcF00fdEea628a15E3831f28a77B908B9812";
const market = { ...MARKET, ownAddress: address };
const read = (change: Partial<PlanDraft>) =>
  payloadSoFar({ ...newDraft(market, ""), ...change }, market, serviceRules);

test("a plan whose terms can’t be read has no preview, rather than other terms", () => {
  for (const amount of ["", "1,500", "x"]) {
    expect(read({ receivers: [{ address, amount }] })).toBeNull();
  }
  expect(read({ granted: "many" })).toBeNull();
});

test("a preview needs no name", () => {
  expect(read({ name: "" })?.payload.metadataAttributes).toMatchObject({ name: "Your plan" });
});
