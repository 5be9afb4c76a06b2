import { expect, test } from "vitest";
import { requireObject } from "@/lib/domain/alerts/rule-object.ts";
import type { Context } from "@/lib/domain/context.ts";
import { afterOf, countRules, isMailed, KINDS, ruleSentence, takesId } from "./rule-text.ts";

test("the unit after a threshold fits its number", () => {
  expect(afterOf("doctor-failing", 1)).toBe("problem");
  expect(afterOf("doctor-failing", 2)).toBe("problems");
  expect(afterOf("credits-days", 1)).toBe("day");
  expect(afterOf("declined-rate", 1)).toBe("% in 15 minutes");
  expect(afterOf("payout-failed", 1)).toBeUndefined();
});

test("a rule reads as one sentence, with no space before a percent sign", () => {
  expect(ruleSentence("credits-days", 2)).toBe("Credits will run out within 2 days");
  expect(ruleSentence("error-rate", 5)).toBe("Failed calls reach 5% in 15 minutes");
  expect(ruleSentence("payout-failed", 1)).toBe("A payout fails");
});

test("an ID is asked for where the service takes one", async () => {
  const found = { owner: "0xa", account: "0xa" };
  const context = {
    caller: { account: "0xa" },
    ports: new Proxy({}, { get: () => ({ find: () => found, findOwn: () => found }) }),
  } as unknown as Context;
  for (const kind of KINDS) {
    // The parts of the service are named; everything else has the ID of what was found.
    const id = kind === "service-degraded" ? "chain" : "1";
    const isTaken = await requireObject(context, kind, id).then(
      () => true,
      () => false,
    );
    expect(takesId(kind), kind).toBe(isTaken);
  }
});

test("a rule about refused mail is not mailed, so it misses no address", () => {
  expect(KINDS.filter((kind) => !isMailed(kind))).toEqual(["email-failing"]);
  const rules = (["email-failing", "credits-below", "payout-failed"] as const).map((kind, at) => ({
    ...{ kind, isOn: at < 2, channels: ["email", "webhook"] as ("email" | "webhook")[] },
  }));
  expect(countRules(rules)).toEqual({ email: 1, webhook: 2 });
});
