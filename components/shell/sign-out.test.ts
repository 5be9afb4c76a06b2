import { getRedirectError } from "next/dist/client/components/redirect.js";
import { UnrecognizedActionError } from "next/dist/client/components/unrecognized-action-error.js";
import { beforeEach, expect, test, vi } from "vitest";
import { liveEvents } from "../data/live-events.ts";
import type { ActionError } from "../forms/action-answer.ts";
import { carriedToken, carryToken } from "../tokens/carried-token.ts";
import { toasts } from "../ui/overlays/toast-store.ts";
import { leaveAccount, type SignOut } from "./sign-out.ts";

const deleted: string[] = [];
const leaving = vi.fn();

beforeEach(() => {
  deleted.length = 0;
  leaving.mockReset();
  vi.spyOn(liveEvents, "setLeaving").mockImplementation(leaving);
  vi.stubGlobal("indexedDB", {
    deleteDatabase: (name: string) => {
      deleted.push(name);
      const request = { onsuccess: () => {} };
      queueMicrotask(() => request.onsuccess());
      return request;
    },
  });
  carryToken({ accessToken: "secret", planId: "7" });
});

/** The words after a sign-out that failed so. */
async function wordsAfter(signOut: SignOut): Promise<string | undefined> {
  await leaveAccount("0xa", signOut);
  // What was kept is still the person's, and the page reads on.
  expect(deleted).toEqual([]);
  expect(carriedToken("7")).toBe("secret");
  expect(leaving.mock.calls).toEqual([[true], [false]]);
  leaving.mockReset();
  return toasts.read().at(-1)?.text;
}

test("a sign-out that fails keeps everything, and says that the person is still signed in", async () => {
  const refused: ActionError = {
    ...{ ok: false, code: "forbidden", message: "Not possible.", hint: "Reload." },
    ...{ details: [], requestId: "r" },
  };
  expect(await wordsAfter(async () => refused)).toBe(
    "You are still signed in. Not possible. Reload.",
  );
  const gone = new UnrecognizedActionError("Not found.");
  expect(await wordsAfter(() => Promise.reject(gone))).toBe(
    "You are still signed in. This page is out of date. Nothing was changed. Reload it.",
  );
  expect(await wordsAfter(() => Promise.reject(new TypeError("Failed to fetch")))).toBe(
    "You may still be signed in. The service can’t be reached. Check your connection and try again.",
  );
});

test("after one that works, neither the runs nor a minted token of the account are left", async () => {
  const redirect = getRedirectError("/", "push" as never);
  const left = leaveAccount("0xa", () => Promise.reject(redirect));
  await expect(left).rejects.toBe(redirect);
  expect(deleted).toEqual(["turnpike-playground.0xa"]);
  expect(carriedToken("7")).toBeNull();
  expect(leaving.mock.calls).toEqual([[true]]);
});
