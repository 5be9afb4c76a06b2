/** A `fetch` that may call one origin, until it is closed. */
type FrameFetch = { fetch: typeof fetch; close: () => void };

/**
 * Opens an empty frame whose own policy lets it call the agent's origin only, and lends its `fetch`: this page's policy
 * allows no other site, and stays as it is (ADR 76). Rejects if the frame cannot be loaded, or when aborted.
 */
export async function openFrame(url: string, signal: AbortSignal): Promise<FrameFetch> {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.title = "Sends requests to the agent";
  frame.src = `/playground/frame?${new URLSearchParams({ origin: new URL(url).origin })}`;
  const close = () => frame.remove();
  try {
    await new Promise<void>((loaded, failed) => {
      frame.onload = () => loaded();
      frame.onerror = () => failed(new Error("The frame could not be loaded."));
      signal.addEventListener("abort", () => failed(signal.reason), { once: true });
      document.body.append(frame);
    });
    const inside = frame.contentWindow as (Window & typeof globalThis) | null;
    if (!inside) throw new Error("The frame could not be opened.");
    return { fetch: inside.fetch.bind(inside), close };
  } catch (cause) {
    close();
    throw cause;
  }
}
