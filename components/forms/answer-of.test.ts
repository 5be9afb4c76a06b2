import { UnrecognizedActionError } from "next/dist/client/components/unrecognized-action-error.js";
import { expect, test } from "vitest";

import { errorText, isUnknownError } from "./action-answer.ts";
import { answerOf, OUTDATED } from "./answer-of.ts";
import { causeText } from "./cause-text.ts";

const WORDS = "This page is out of date. Nothing was changed. Reload it.";
const outdated = () =>
  Promise.reject(new UnrecognizedActionError('Server Action "40ab" was not found on the server.'));

test("an action that the service no longer knows ran nothing, and the page says to reload it", async () => {
  expect(await answerOf(outdated())).toBe(OUTDATED);
  expect(errorText(OUTDATED)).toBe(WORDS);
  expect(isUnknownError(OUTDATED)).toBe(false);
});

test("another rejection is a lost answer, and an answer is passed on", async () => {
  expect(await answerOf(Promise.reject(new TypeError("Failed to fetch")))).toBeNull();
  const done = { ok: true, data: 1 } as const;
  expect(await answerOf(Promise.resolve(done))).toBe(done);
});

test("a run of the playground says so too", async () => {
  expect(causeText(await outdated().catch((cause) => cause))).toBe(WORDS);
});
