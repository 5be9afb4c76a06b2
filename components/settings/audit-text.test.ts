import { expect, test } from "vitest";
import { actionText } from "./audit-text.ts";

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
