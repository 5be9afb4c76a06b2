import { expect, test, vi } from "vitest";
import { signInByPasskey, signUpByPasskey } from "./passkey-proof.ts";

const device = vi.hoisted(() => ({
  approve: () => {},
  isCanceled: false,
}));

// The device answers when the test says, as a phone does, also after it was told to stop.
vi.mock("@simplewebauthn/browser", () => {
  const ceremony = () =>
    new Promise((done) => {
      device.approve = () => done({ id: "passkey" });
    });
  return {
    startAuthentication: ceremony,
    startRegistration: ceremony,
    WebAuthnAbortService: {
      cancelCeremony: () => {
        device.isCanceled = true;
      },
    },
  };
});

function setUp() {
  Object.assign(device, { approve: () => {}, isCanceled: false });
  const sent = vi.fn(async () => ({ ok: true, data: undefined }) as const);
  const asked = vi.fn(async () => ({ ok: true, data: { challenge: "c" } }) as never);
  const canceling = new AbortController();
  const actions = {
    ...{ askPasskey: asked, askNewPasskey: asked },
    ...{ signInWithPasskey: sent, registerPasskey: sent },
  };
  return { sent, asked, canceling, actions };
}

const settled = () => new Promise((done) => setTimeout(done, 20));

for (const [name, start] of [
  ["signing in", signInByPasskey],
  ["signing up", signUpByPasskey],
] as const) {
  test(`${name}: an approval is sent once the device gives it`, async () => {
    const { sent, canceling, actions } = setUp();
    const onSent = vi.fn(() => expect(sent).not.toHaveBeenCalled());
    const proving = start(actions, canceling.signal, onSent);
    await settled();
    expect([sent.mock.calls, onSent.mock.calls]).toEqual([[], []]);
    device.approve();
    await proving;
    expect(onSent).toHaveBeenCalledOnce();
    expect(sent).toHaveBeenCalledExactlyOnceWith({ id: "passkey" });
    canceling.abort();
    expect(device.isCanceled).toBe(false);
  });

  test(`${name}: canceling ends the request on the device, and a late approval is not sent`, async () => {
    const { sent, canceling, actions } = setUp();
    const onSent = vi.fn();
    const proving = start(actions, canceling.signal, onSent);
    await settled();
    canceling.abort();
    expect(device.isCanceled).toBe(true);
    device.approve();
    await expect(proving).rejects.toMatchObject({ name: "AbortError" });
    expect(onSent).not.toHaveBeenCalled();
    expect(sent).not.toHaveBeenCalled();
  });

  test(`${name}: a device is not asked after the attempt was canceled`, async () => {
    const { sent, canceling, actions } = setUp();
    canceling.abort();
    await expect(start(actions, canceling.signal, vi.fn())).rejects.toMatchObject({
      name: "AbortError",
    });
    device.approve();
    expect(sent).not.toHaveBeenCalled();
  });
}
