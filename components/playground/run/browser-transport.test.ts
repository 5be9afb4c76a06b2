import { expect, test, vi } from "vitest";
import { browserTransport } from "./browser-transport.ts";

const REQUEST = { method: "POST", url: "https://agent.example/ask", headers: [], body: "{}" };

type Frame = { onload: () => void; onerror: () => void; contentWindow: object; remove(): void };

/** A page whose frame loads as a test says. */
function openPage(load: (frame: Frame) => void, fetchInFrame: typeof fetch) {
  const frame = { contentWindow: { fetch: fetchInFrame }, remove: () => {} } as Frame;
  vi.stubGlobal("window", { location: new URL("https://turnpike.example/playground") });
  vi.stubGlobal("document", {
    createElement: () => frame,
    body: { append: () => load(frame) },
  });
}

const send = (signal = new AbortController().signal) =>
  browserTransport(REQUEST, { signal, onProgress: () => {} });

test("a request whose frame does not load was never sent", async () => {
  openPage(
    (frame) => frame.onerror(),
    () => Promise.reject(new Error("not called")),
  );
  const { failure } = await send();
  expect(failure).toMatchObject({ kind: "refused", code: "service_lost" });
});

test("a request that is stopped before it is sent was never sent", async () => {
  const stop = new AbortController();
  openPage(
    () => stop.abort(),
    () => Promise.reject(new Error("not called")),
  );
  const { failure } = await send(stop.signal);
  expect(failure).toMatchObject({ kind: "refused", code: "aborted" });
});

test("a request that is stopped once it was sent may have arrived", async () => {
  const stop = new AbortController();
  openPage(
    (frame) => frame.onload(),
    () => {
      stop.abort();
      return Promise.reject(stop.signal.reason);
    },
  );
  const { failure } = await send(stop.signal);
  expect(failure).toMatchObject({ kind: "failed", code: "aborted" });
});
