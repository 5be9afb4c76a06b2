import { expect, test, vi } from "vitest";
import { type ConfirmActions, confirmAs } from "./confirm-as.ts";

test("a demo account's confirmation can't be canceled once it is sent", async () => {
  const onSent = vi.fn();
  const signInAsDemo = vi.fn(async () => {
    expect(onSent).toHaveBeenCalledOnce();
    return { ok: true, data: undefined } as const;
  });
  const actions = { signInAsDemo } as unknown as ConfirmActions;
  const { signal } = new AbortController();
  await confirmAs({ method: "demo", role: "subscriber" }, actions, { signal, onSent });
  expect(signInAsDemo).toHaveBeenCalledExactlyOnceWith("subscriber");
});
