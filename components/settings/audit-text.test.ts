import { expect, test } from "vitest";
import { actionText, subjectHref } from "./audit-text.ts";

test.each([
  ["api-key.create", "API key created"],
  ["plan.register", "Plan created"],
  ["agent.register", "Agent registered"],
  ["agent.checks-on", "Daily check turned on"],
  ["agent.checks-off", "Daily check turned off"],
  ["payment-method.default", "Default card changed"],
  ["payout.schedule", "Payout schedule changed"],
  ["delegation.revoke-all", "All delegations revoked"],
  ["agent.update", "Agent updated"],
  ["spell.cast-twice", "Spell cast twice"],
])("%s reads %s", (action, text) => {
  expect(actionText(action)).toBe(text);
});

test("what a key minted or created has a link to where it is revoked", () => {
  expect(subjectHref({ action: "token.mint", subject: "t1" })).toBe("/tokens/t1");
  expect(subjectHref({ action: "delegation.create", subject: "d1" })).toBe("/delegations/d1");
  expect(subjectHref({ action: "delegation.revoke-all", subject: "all" })).toBeUndefined();
});
