import { UnrecognizedActionError } from "next/dist/client/components/unrecognized-action-error.js";
import { expect, test } from "vitest";
import { isUnknown } from "../forms/action-answer.ts";
import { ask, prove } from "./sign-in-actions.ts";
import {
  isCancelable,
  passkeyFailure,
  placeAfter,
  type SignInState,
  signInReducer,
  walletFailure,
} from "./sign-in-state.ts";

const idle: SignInState = { method: null, step: "", failure: "" };

test("one method runs at a time, and starting it clears the last failure", () => {
  const failed = signInReducer(idle, { type: "failed", failure: "Declined." });
  const started = signInReducer(failed, { type: "started", method: "wallet", step: "Looking." });
  expect(started).toEqual({ method: "wallet", step: "Looking.", failure: "" });
  expect(signInReducer(started, { type: "started", method: "passkey", step: "x" })).toBe(started);
});

test("a step changes nothing else, and a failure lets another method start", () => {
  const started: SignInState = { method: "passkey", step: "First.", failure: "" };
  expect(signInReducer(started, { type: "stepped", method: "passkey", step: "Second." })).toEqual({
    ...started,
    step: "Second.",
  });
  expect(signInReducer(started, { type: "failed", failure: "Closed." })).toEqual({
    method: null,
    step: "",
    failure: "Closed.",
  });
});

test("a method whose wallet or device does not answer can be canceled, and another one started", () => {
  const started = signInReducer(idle, { type: "started", method: "wallet", step: "Looking." });
  expect(isCancelable(started.method)).toBe(true);
  expect(isCancelable("builder")).toBe(false);
  expect(isCancelable(idle.method)).toBe(false);
  const canceled = signInReducer(started, { type: "canceled" });
  expect(canceled).toEqual(idle);
  const late = { type: "stepped", method: "wallet", step: "Verifying." } as const;
  expect(signInReducer(canceled, late)).toEqual(idle);
  const other = signInReducer(canceled, { type: "started", method: "passkey", step: "Confirm." });
  expect(signInReducer(other, late)).toEqual(other);
});

test("a proof that was sent is not canceled: its answer may sign the person in", () => {
  const started = signInReducer(idle, { type: "started", method: "passkey", step: "Confirm." });
  const other = { type: "sent", method: "wallet", step: "Verifying." } as const;
  expect(signInReducer(started, other)).toBe(started);
  const sent = signInReducer(started, { type: "sent", method: "passkey", step: "Signing in." });
  expect(sent).toMatchObject({ method: "passkey", step: "Signing in.", isSent: true });
  expect(signInReducer(sent, { type: "canceled" })).toBe(sent);
  const failed = signInReducer(sent, { type: "failed", failure: "Declined." });
  const again = signInReducer(failed, { type: "started", method: "passkey", step: "Confirm." });
  expect(signInReducer(again, { type: "canceled" })).toEqual(idle);
});

test("a passkey's errors say what to do", () => {
  const error = (name: string) => Object.assign(new Error("As it is."), { name });
  const failure = (name: string, host: string) => passkeyFailure(error(name), host).failure;
  expect(failure("NotAllowedError", "h")).toMatch(/^You closed the request/);
  expect(failure("SecurityError", "10.0.0.1")).toContain("10.0.0.1");
  expect(failure("Error", "h")).toBe("As it is.");
});

test("the secret in the link of a mail is still there after signing in", () => {
  expect(placeAfter("/alerts/confirm", { hash: "#secret" })).toBe("/alerts/confirm#secret");
  expect(placeAfter("/home?as=builder", { hash: "" })).toBe("/home?as=builder");
});

test("a wallet's errors say what to do", () => {
  expect(walletFailure({ code: -32002 }).failure).toMatch(/^Your wallet already shows another/);
  expect(walletFailure({ code: 4100 }).failure).toMatch(/^Your wallet is locked/);
  const long = new Error("An internal error was received.\n\nDetails: x\nVersion: viem@2");
  expect(walletFailure(long).failure).toBe("Your wallet did not sign. Nothing was sent.");
});

test("a lost answer is worded as everywhere, and leaves open whether the person is signed in only at the end", async () => {
  const lost = () => Promise.reject(new TypeError("Failed to fetch"));
  const failingAfter = async (step: Promise<unknown>) =>
    passkeyFailure(
      await step.then(
        () => new Error("No failure."),
        (cause) => cause,
      ),
      "h",
    );
  const asked = await failingAfter(ask(lost()));
  expect(asked.failure).toMatch(/^The service can’t be reached/);
  expect(isUnknown(asked)).toBe(false);
  const proved = await failingAfter(prove(lost()));
  expect(proved.failure).toMatch(/^The service can’t be reached/);
  expect(isUnknown(proved)).toBe(true);
  expect(isUnknown(walletFailure(await prove(lost()).catch((cause) => cause)))).toBe(true);
});

test("what the service refused, or no longer knows, did not sign the person in", async () => {
  const refused = { ok: false, code: "internal", message: "Failed.", hint: "Wait." } as const;
  const answers = [
    [Promise.resolve({ ...refused, details: [], requestId: "r" }), "Failed. Wait."],
    [Promise.reject(new UnrecognizedActionError("Not found.")), /^This page is out of date/],
  ] as const;
  for (const [answer, words] of answers) {
    const failing = passkeyFailure(await prove(answer).catch((cause) => cause), "h");
    expect(failing.failure).toMatch(words);
    expect(isUnknown(failing)).toBe(false);
  }
});
