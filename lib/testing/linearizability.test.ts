import { expect, test } from "vitest";
import {
  findAnomaly,
  isLinearizable,
  type Recorded,
  type Specification,
} from "./linearizability.ts";
import { createRandom, type Random } from "./seeded-random.ts";

type Input = { write: number } | "read";

/** One cell that is written and read. */
const register: Specification<number, Input, number | "done"> = {
  initial: 0,
  step: (state, input, output) => {
    if (input !== "read") return input.write;
    return output === undefined || output === state ? state : null;
  },
  isInert: (input) => input === "read",
  keyOf: String,
};

/** Operations from a drawing: who, when from, when to, and what. */
const history = (
  ...rows: [invoked: number, returned: number, input: Input, output?: number | "done"][]
): Recorded<Input, number | "done">[] =>
  rows.map(([invoked, returned, input, output]) => ({ invoked, returned, input, output }));

const check = (...rows: Parameters<typeof history>) => isLinearizable(history(...rows), register);
const NEVER = Number.POSITIVE_INFINITY;

test("what was written is read afterwards", () => {
  expect(check([0, 1, { write: 1 }, "done"], [2, 3, "read", 1])).toBe(true);
});

test("a stale read after a write has returned is found", () => {
  expect(check([0, 1, { write: 1 }, "done"], [2, 3, "read", 0])).toBe(false);
});

test("a read beside a write may see either", () => {
  for (const seen of [0, 1]) {
    expect(check([0, 4, { write: 1 }, "done"], [1, 2, "read", seen])).toBe(true);
  }
});

test("two reads beside a write that see it and then not are found", () => {
  expect(check([0, 9, { write: 1 }, "done"], [1, 2, "read", 1], [3, 4, "read", 0])).toBe(false);
  expect(check([0, 9, { write: 1 }, "done"], [1, 2, "read", 0], [3, 4, "read", 1])).toBe(true);
});

test("a wrong first choice is taken back", () => {
  // The write of 2 has to come before that of 1, though it was called later.
  expect(
    check([0, 9, { write: 1 }, "done"], [1, 8, { write: 2 }, "done"], [10, 11, "read", 1]),
  ).toBe(true);
});

test("a write without an answer may have happened late, or never, but not before its call", () => {
  expect(check([0, NEVER, { write: 1 }], [5, 6, "read", 0], [7, 8, "read", 1])).toBe(true);
  expect(check([0, NEVER, { write: 1 }], [5, 6, "read", 0])).toBe(true);
  expect(check([0, 1, "read", 1], [2, NEVER, { write: 1 }])).toBe(false);
  expect(check([0, NEVER, { write: 1 }], [5, 6, "read", 1], [7, 8, "read", 0])).toBe(false);
});

test("one forged answer among three thousand is found", () => {
  const rows = Array.from({ length: 1_000 }, (_, at) => at * 4).flatMap(
    (at): Parameters<typeof history> => [
      [at, at + 2, { write: at }, "done"],
      [at + 1, at + 3, "read", at],
      [at + 2.5, at + 4.5, "read", at],
    ],
  );
  expect(check(...rows)).toBe(true);
  const forged = rows.with(1_501, [2_003, 2_005, "read", 1_996]);
  expect(check(...forged)).toBe(false);
});

test("three thousand small histories are judged as by trying every order", () => {
  const random = createRandom(1);
  let linear = 0;
  for (let count = 0; count < 3_000; count++) {
    const drawn = drawHistory(random);
    const expected = hasOrder(drawn, register.initial);
    expect([isLinearizable(drawn, register), drawn]).toEqual([expected, drawn]);
    if (expected) linear += 1;
  }
  // Neither verdict is rare.
  expect(linear).toBeGreaterThan(500);
  expect(linear).toBeLessThan(2_500);
});

/** Up to seven operations that overlap, on values so few that a write often changes nothing. */
function drawHistory(random: Random): Recorded<Input, number | "done">[] {
  return Array.from({ length: 1 + random.below(7) }, () => {
    const invoked = random.below(12);
    const input = random.chance(50) ? "read" : { write: random.below(2) };
    if (random.chance(20)) return { input, output: undefined, invoked, returned: NEVER };
    const output = input === "read" ? random.below(2) : "done";
    return { input, output, invoked, returned: invoked + random.below(6) };
  });
}

/** Whether some operation can come first, and the others after it. */
function hasOrder(left: Recorded<Input, number | "done">[], state: number): boolean {
  if (left.every(({ returned }) => returned === NEVER)) return true;
  const firstReturn = Math.min(...left.map(({ returned }) => returned));
  return left.some((each, at) => {
    if (each.invoked > firstReturn) return false;
    const next = register.step(state, each.input, each.output);
    return next !== null && hasOrder(left.toSpliced(at, 1), next);
  });
}

test("an anomaly is shown with what was under way beside it", () => {
  const rows = history(
    [0, 1, { write: 1 }, "done"],
    [2, 3, "read", 1],
    [4, 9, { write: 2 }, "done"],
    [5, 6, "read", 3],
    [10, 11, "read", 2],
  );
  expect(findAnomaly(rows, register)).toEqual([rows[3], rows[2]]);
  expect(findAnomaly(rows.toSpliced(3, 1), register)).toEqual([]);
});
