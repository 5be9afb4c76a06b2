import { createRandom } from "@/lib/testing/seeded-random.ts";
import type { Question } from "../decide.ts";
import { BUDGET_CHANGES } from "./budget-changes.ts";
import { PERMISSION_CHANGES } from "./question-changes.ts";
import { type Change, draftQuestion, type Random } from "./question-draft.ts";
import { REQUEST_CHANGES } from "./request-changes.ts";
import { REQUIREMENT_CHANGES } from "./requirement-changes.ts";

/** A question, and what is otherwise in it than in a good one. */
export type GeneratedQuestion = { question: Question; changes: readonly string[] };

const CHANGES: Record<string, Change> = {
  ...PERMISSION_CHANGES,
  ...REQUIREMENT_CHANGES,
  ...REQUEST_CHANGES,
  ...BUDGET_CHANGES,
};
const NAMES = Object.keys(CHANGES);
const INTENTS = ["check", "reserve", "settle"] as const;
/** How many changes a drawn question has: most are nearly right. */
const SIZES = [0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 8];

/**
 * Questions about verify and settle, the same for the same seed: with each intent a good one, every single change and
 * every pair of changes, smallest first; then drawn ones until there are `count`, most of them one to three facts away
 * from a good one.
 *
 * @example for (const { question, changes } of generateQuestions({ seed: 1, count: 20_000 })) …
 */
export function* generateQuestions({
  seed,
  count,
}: {
  seed: number;
  count: number;
}): Generator<GeneratedQuestion> {
  const random = createRandom(seed);
  let made = 0;
  for (const changes of smallSets()) {
    for (const intent of INTENTS) {
      if (made++ === count) return;
      yield make(intent, changes, random);
    }
  }
  while (made++ < count) {
    const changes = Array.from({ length: random.pick(SIZES) }, () => random.pick(NAMES));
    yield make(random.pick(INTENTS), changes, random);
  }
}

/** How many questions have at most two changes: asking fewer leaves out pairs of the last changes. */
export const SMALL_COUNT =
  INTENTS.length * (1 + NAMES.length + (NAMES.length * (NAMES.length - 1)) / 2);

function* smallSets(): Generator<string[]> {
  yield [];
  for (const name of NAMES) yield [name];
  for (const [index, one] of NAMES.entries()) {
    for (const other of NAMES.slice(index + 1)) yield [one, other];
  }
}

function make(
  intent: Question["intent"],
  changes: readonly string[],
  random: Random,
): GeneratedQuestion {
  const draft = draftQuestion(intent, random);
  for (const name of changes) CHANGES[name]?.(draft, random);
  return { question: draft.question, changes };
}
