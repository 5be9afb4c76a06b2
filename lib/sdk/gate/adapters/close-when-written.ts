import type { NodeResponse } from "./node-types.ts";

/**
 * Delays closing the connection of an answer that the work has ended until the gate has written it. Express closes the connection
 * when a handler fails after its answer, which the gate still holds and charges. The function it returns closes the connection.
 */
export function closeWhenWritten(response: NodeResponse): (() => unknown) | undefined {
  const { socket, req } = response;
  // A stream of HTTP/2 is closed by its end.
  if (!socket || !req?.httpVersion?.startsWith("1.")) return undefined;
  const { destroy } = socket;
  let isAsked = false;
  let isReleased = false;
  socket.destroy = (error) => {
    // Neither a client that has left nor one that no longer reads can get the answer. Node may call this one after its release.
    const isLost = error || isReleased || socket.readableEnded || response.writableNeedDrain;
    if (isLost) return destroy.call(socket, error);
    isAsked = true;
    return socket;
  };
  const release = () => {
    response.off("finish", release);
    response.off("close", release);
    isReleased = true;
    socket.destroy = destroy;
    if (isAsked) socket.destroy();
  };
  response.once("finish", release);
  response.once("close", release);
  return () => socket.destroy();
}
