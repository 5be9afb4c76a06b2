import { expect, test } from "vitest";
import { rotationRisk } from "./webhook-text.ts";

const LOST = { failure: "The service can’t be reached." };
const CERTAIN = { failure: "Slow down.", failureCode: "rate_limited" };

test("a first rotation asks nothing: both secrets sign for a while", () => {
  expect(rotationRisk({}, { failure: undefined })).toBeUndefined();
  expect(rotationRisk({}, CERTAIN)).toBeUndefined();
});

test("a second one within the overlap says which secret stops signing", () => {
  const previousSecret = { hint: "a1b2", expiresAt: "2026-01-02T00:00:00.000Z" };
  expect(rotationRisk({ previousSecret }, { failure: undefined })).toContain(
    "whsec_…a1b2 stops signing at once",
  );
});

test("so does one after a rotation whose answer was lost: this page does not know of it", () => {
  expect(rotationRisk({}, LOST)).toContain("stops signing at once");
});
