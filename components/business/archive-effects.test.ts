import { expect, test } from "vitest";
import { archiveEffects } from "./archive-effects.ts";

const textOf = (effects: ReturnType<typeof archiveEffects.plan>) =>
  effects.map(({ title, detail }) => [title, detail].filter(Boolean).join(" ")).join("\n");

test("archiving a plan says how many renewals end, and that subscribers of a time pass keep their access", () => {
  const time = { subscribers: 3, renewing: 1, agents: 0, isTime: true };
  expect(textOf(archiveEffects.plan(time))).toContain(
    "3 subscribers keep their access Until the time they paid for ends.",
  );
  expect(textOf(archiveEffects.plan(time))).toContain("1 renewal stops");
  expect(textOf(archiveEffects.plan({ ...time, renewing: 2 }))).toContain("2 renewals stop");
  expect(textOf(archiveEffects.plan({ ...time, renewing: 0 }))).not.toContain("renewal");
  const credits = { ...time, renewing: 0, isTime: false };
  expect(textOf(archiveEffects.plan(credits))).toContain("3 subscribers keep their credits");
});
