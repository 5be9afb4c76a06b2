import { expect, test } from "vitest";
import type { DelegationEffects } from "@/lib/console/delegation-effects.ts";
import { removalEffects } from "../payment-methods/removal-effects.ts";
import { effectsOf, revokeAllEffects, revokedText } from "./effects-text.ts";

test("revoking all says how many the service revoked", () => {
  const revoked = { success: true, delegationsRevoked: 1, tokensRevoked: 12 };
  expect(revokedText(revoked)).toBe("Revoked 1 delegation and 12 tokens");
});

const NOTHING: DelegationEffects = {
  delegationId: "d1",
  tokensEnding: 0,
  tokens: [],
  agents: [],
  plans: [],
  apiKeys: [],
  renewals: [],
  requestsUnderWay: 0,
};

test("revoking a delegation that pays for a renewal names the plan", () => {
  const delegation = { amountReservedCents: 0n, currency: "usd", provider: "erc4337" } as const;
  const titles = (effects: DelegationEffects) => effectsOf(effects, delegation).map((e) => e.title);
  const ends = "The renewal of Month pass can no longer be paid";
  expect(titles({ ...NOTHING, renewals: [{ planId: "1", name: "Month pass" }] })).toContain(ends);
  expect(titles(NOTHING)).not.toContain(ends);
});

test("revoking every delegation names the renewals that it ends", () => {
  const renewal = { planName: "Month pass", state: "on" } as const;
  const gone = { ...renewal, obstacle: { code: "delegation_revoked", message: "" } };
  const off = { ...renewal, state: "off" } as const;
  const totals = { open: 2, activeTokens: 1 };
  expect(revokeAllEffects(totals, [renewal, gone, off]).map(({ title }) => title)).toEqual([
    "2 delegations stop working",
    "1 access token stops working",
    "The renewal of Month pass can no longer be paid",
    "You keep your credits",
  ]);
});

test("removing a card names the renewals of the delegations that are revoked with it", () => {
  const removal = {
    removed: false,
    delegations: [
      { delegationId: "d1", planIds: [], currency: "usd", remainingBudgetCents: "3000" },
    ],
    tokens: [],
  };
  const renewals = [
    { delegationId: "d1", planName: "Month pass" },
    { delegationId: "d2", planName: "Week pass" },
  ];
  expect(removalEffects(removal, renewals).map(({ title }) => title)).toEqual([
    "1 delegation is revoked",
    "No access token depends on it",
    "The renewal of Month pass can no longer be paid",
    "You keep your credits",
  ]);
});
