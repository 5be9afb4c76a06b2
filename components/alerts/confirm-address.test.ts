import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { type ActionError, failingOf } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { failureWords } from "../forms/failure-words.ts";
import { ConfirmAddress } from "./confirm-address.tsx";

const ending = vi.hoisted(() => ({ failing: {} }));
vi.mock("next/link", () => ({ default: "a" }));
vi.mock("../forms/use-operation.ts", () => ({ useOperation: () => ending.failing }));

/** What the page says after this end of a confirmation. */
function wordsAfter(error: ActionError | null) {
  ending.failing = failingOf(error);
  const { children } = ConfirmAddress({ confirmEmailAddress: vi.fn() }).props;
  const notice = children.find(({ type }: { type: unknown }) => type === FailureNotice);
  return failureWords(notice.props);
}

/** A text, and that of a link in it. */
const textOf = (node: ReactNode): string => {
  if (Array.isArray(node)) return node.map(textOf).join("");
  const isElement = typeof node === "object" && node !== null && "props" in node;
  return isElement ? textOf((node.props as { children: ReactNode }).children) : String(node);
};

test("after a lost answer Alerts shows whether the address is confirmed: this page does not", () => {
  const { tone, advice } = wordsAfter(null);
  expect([tone, textOf(advice)]).toEqual([
    "unknown",
    "Open Alerts to see whether the address is confirmed.",
  ]);
});

test("a link that was refused leaves the address unconfirmed", () => {
  const refused = { code: "conflict", message: "It has expired.", hint: "Ask again." } as const;
  const words = wordsAfter({ ok: false, ...refused, details: [], requestId: "r" });
  expect(words).toMatchObject({ tone: "refused", title: "The address was not confirmed." });
});
