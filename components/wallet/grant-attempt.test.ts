import { expect, test, vi } from "vitest";
import type { ActionError } from "../forms/action-answer.ts";
import { createGrantAttempt } from "./grant-attempt.ts";

const done = { ok: true, data: undefined } as const;
const refused = (code: ActionError["code"]): ActionError => ({
  ok: false,
  code,
  message: "Not signed.",
  hint: "",
  details: [],
  requestId: "r1",
});

function attempt(submit: () => Promise<typeof done | ActionError>) {
  const revoke = vi.fn(async () => done);
  return { ...createGrantAttempt("d1", submit, revoke), revoke };
}

test("a delegation that was not signed is revoked with the attempt", () => {
  const { cancel, revoke } = attempt(async () => done);
  cancel();
  expect(revoke).toHaveBeenCalledExactlyOnceWith({ delegationId: "d1" });
});

test("so is one whose signature was refused", async () => {
  const { submit, cancel, revoke } = attempt(async () => refused("forbidden"));
  await submit("0x1");
  cancel();
  expect(revoke).toHaveBeenCalledOnce();
});

test("one that was signed stays, and so does one whose answer was lost or is unknown", async () => {
  const answers = [
    async () => done,
    async () => refused("unavailable"),
    () => Promise.reject(new Error("Lost.")),
  ];
  for (const answer of answers) {
    const { submit, cancel, revoke } = attempt(answer);
    await submit("0x1").catch(() => {});
    cancel();
    expect(revoke).not.toHaveBeenCalled();
  }
});

test("it is revoked when the page is left, once, and not when development mounts twice", async () => {
  vi.useFakeTimers();
  const { enter, cancel, revoke } = attempt(async () => done);
  enter()();
  const leave = enter();
  await vi.runAllTimersAsync();
  expect(revoke).not.toHaveBeenCalled();
  leave();
  cancel();
  await vi.runAllTimersAsync();
  expect(revoke).toHaveBeenCalledExactlyOnceWith({ delegationId: "d1" });
});

test("once signed, it stays when the page is left", async () => {
  vi.useFakeTimers();
  const { enter, submit, revoke } = attempt(async () => done);
  const leave = enter();
  await submit("0x1");
  leave();
  await vi.runAllTimersAsync();
  expect(revoke).not.toHaveBeenCalled();
});

test("nothing follows a signature that is accepted after the page was left: it is revoked", async () => {
  let accept = (_answer: typeof done) => {};
  const answering = new Promise<typeof done>((resolve) => {
    accept = resolve;
  });
  const { enter, submit, revoke } = attempt(() => answering);
  const leave = enter();
  const follow = vi.fn(async () => done);
  const submitting = submit("0x1", follow);
  leave();
  accept(done);
  await submitting;
  expect(follow).not.toHaveBeenCalled();
  expect(revoke).toHaveBeenCalledExactlyOnceWith({ delegationId: "d1" });
});

test("so is one whose signature is refused after the page was left", async () => {
  vi.useFakeTimers();
  let refuse = (_answer: ActionError) => {};
  const answering = new Promise<ActionError>((resolve) => {
    refuse = resolve;
  });
  const { enter, submit, revoke } = attempt(() => answering);
  const leave = enter();
  const submitting = submit("0x1");
  leave();
  await vi.runAllTimersAsync();
  refuse(refused("forbidden"));
  await submitting;
  expect(revoke).toHaveBeenCalledOnce();
});

test("a revocation that fails changes nothing, and none is made for a delegation that stays", () => {
  const { cancel } = createGrantAttempt(
    "d1",
    async () => done,
    () => Promise.reject(new Error("Lost.")),
  );
  expect(cancel).not.toThrow();
  expect(createGrantAttempt("d1", async () => done).cancel).not.toThrow();
});
