import { breakOff, type Output } from "./capture-response.ts";
import type { NodeResponse } from "./node-types.ts";

/**
 * Writes a Web response to a Node response at the client's pace; cancels its body when the client leaves. `onBreak` is called with
 * why a body breaks off.
 */
export async function writeResponse(
  outgoing: NodeResponse,
  output: Output,
  response: Response,
  onBreak = (_error: unknown) => {},
): Promise<void> {
  const { body, status, statusText } = response;
  if (output.destroyed) return void (await body?.cancel().catch(() => {}));
  for (const name of outgoing.getHeaderNames()) {
    // Once removed, Node no longer sets this one on its own.
    if (name !== "transfer-encoding") output.removeHeader(name);
  }
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie") output.setHeader(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) output.setHeader("set-cookie", cookies);
  const message = statusText ? [statusText] : [];
  output.writeHead(status, ...(message as never[]));
  if (body) await pump(body, outgoing, output, onBreak);
  else end(output);
}

function end(output: Output): void {
  const { trailers } = output;
  if (trailers && Object.keys(trailers).length > 0) output.addTrailers(trailers);
  output.end();
}

async function pump(
  body: ReadableStream<Uint8Array>,
  outgoing: NodeResponse,
  output: Output,
  onBreak: (error: unknown) => void,
): Promise<void> {
  const reader = body.getReader();
  let free: () => void = () => {};
  const left = () => {
    reader.cancel(new Error("The client is gone.")).catch(() => {});
    free();
  };
  outgoing.once("close", left);
  output.on("drain", () => free());
  // Send the head early: a client that waits for the first event needs its status now.
  const early = setTimeout(() => output.destroyed || output.flushHeaders(), 0);
  try {
    while (!output.destroyed) {
      const { done, value } = await reader.read();
      clearTimeout(early);
      if (done) break;
      if (output.write(value as never) || output.destroyed) continue;
      await new Promise<void>((resolve) => {
        free = resolve;
      });
    }
    outgoing.off("close", left);
    if (output.destroyed) left();
    else end(output);
  } catch (error) {
    onBreak(error);
    outgoing.destroy(error as Error);
    // A body that breaks off must not look complete, although the work has ended it.
    breakOff(outgoing, error as Error, output.destroy);
  }
}
