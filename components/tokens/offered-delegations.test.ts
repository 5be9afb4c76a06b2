import type { DelegationSummary } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { fewDelegations, offeredDelegations } from "./offered-delegations.ts";

const delegation = (delegationId: string, name: string, day: number) =>
  ({
    delegationId,
    name,
    remainingBudgetCents: 500n,
    currency: "usd",
    expiresAt: `2026-12-0${day}T00:00:00.000Z`,
  }) as unknown as DelegationSummary;

const SIX = [
  delegation("0xaaaaaaaa11111111", "Travel", 1),
  delegation("0xbbbbbbbb22222222", "Travel", 2),
  delegation("0xcccccccc33333333", "", 9),
  delegation("0xdddddddd44444444", "Books", 3),
  delegation("0xeeeeeeee55555555", "", 5),
  delegation("0xffffffff66666666", "", 4),
];
const idsOf = (offered: readonly { delegationId: string }[]) =>
  offered.map(({ delegationId }) => delegationId.slice(2, 4)).join(" ");

test("every delegation is offered: the asked one first, then named ones, then by when they expire", () => {
  expect(idsOf(offeredDelegations(SIX, undefined))).toBe("dd bb aa cc ee ff");
  expect(idsOf(offeredDelegations(SIX, "0xeeeeeeee55555555"))).toBe("ee dd bb aa cc ff");
});

test("delegations with one name are told apart", () => {
  const names = offeredDelegations(SIX, undefined).map(({ name }) => name);
  expect(new Set(names).size).toBe(SIX.length);
  expect(names[0]).toBe("Books");
  expect(names[1]).toMatch(/^Travel \(.+\)$/);
});

test("a few are shown first, with the chosen one among them", () => {
  const offered = offeredDelegations(SIX, undefined);
  const { few, more } = fewDelegations(offered, "new");
  expect([idsOf(few), more]).toEqual(["dd bb aa cc", 2]);
  expect(idsOf(fewDelegations(offered, "0xffffffff66666666").few)).toBe("dd bb aa cc ff");
  expect(fewDelegations(offered.slice(0, 4), "new").more).toBe(0);
});
