import { UnrecognizedActionError } from "next/dist/client/components/unrecognized-action-error.js";
import { expect, test } from "vitest";
import { toasts } from "../ui/overlays/toast-store.ts";
import type { ActionAnswer } from "./action-answer.ts";
import { undoChange } from "./undo-change.ts";

/** The last toast after an undo whose restore answers so, and whether the page is read again. */
async function undone(restore: () => Promise<ActionAnswer<unknown>>) {
  let isDone = false;
  await undoChange({
    undo: restore,
    undone: "“Pro” is restored",
    failed: "The plan “Pro” was not restored.",
    onDone: () => {
      isDone = true;
    },
  });
  return { ...toasts.read().at(-1), isDone };
}

test("an undo that fails says so, and why, wherever the person is by then", async () => {
  const message = "This was changed meanwhile.";
  const refusal = { ok: false, code: "conflict", message, hint: "Reload the page." } as const;
  expect(await undone(async () => ({ ...refusal, details: [], requestId: "r" }))).toMatchObject({
    text: `The plan “Pro” was not restored. ${message} Reload the page.`,
    ...{ tone: "bad", isDone: false },
  });
  expect(await undone(() => Promise.reject(new Error("offline")))).toMatchObject({
    text: expect.stringContaining("The service can’t be reached."),
    ...{ tone: "bad", isDone: false },
  });
  const gone = () => Promise.reject(new UnrecognizedActionError("Server Action was not found."));
  expect(await undone(gone)).toMatchObject({
    text: "The plan “Pro” was not restored. This page is out of date. Nothing was changed. Reload it.",
    ...{ tone: "bad", isDone: false },
  });
});

test("one that works says that, and the page is read again", async () => {
  expect(await undone(async () => ({ ok: true, data: null }))).toMatchObject({
    ...{ text: "“Pro” is restored", isDone: true },
  });
});
