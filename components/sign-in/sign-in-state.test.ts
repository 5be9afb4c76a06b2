import { expect, test } from "vitest";
import {
  isCancelable,
  passkeyFailure,
  placeAfter,
  type SignInState,
  signInReducer,
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

test("a passkey's errors say what to do", () => {
  const error = (name: string) => Object.assign(new Error("As it is."), { name });
  expect(passkeyFailure(error("NotAllowedError"), "h")).toMatch(/^You closed the request/);
  expect(passkeyFailure(error("SecurityError"), "10.0.0.1")).toContain("10.0.0.1");
  expect(passkeyFailure(error("Error"), "h")).toBe("As it is.");
});

test("the secret in the link of a mail is still there after signing in", () => {
  expect(placeAfter("/alerts/confirm", { hash: "#secret" })).toBe("/alerts/confirm#secret");
  expect(placeAfter("/home?as=builder", { hash: "" })).toBe("/home?as=builder");
});
