import type { NodeResponse } from "./node-types.ts";

/**
 * Opens a response again whose client left before the work answered: streams and frameworks write nothing to one that is
 * closed, so the gate would never see the answer. The function it returns closes it for those that write to it since.
 */
export function answerLater(response: NodeResponse): () => void {
  const earlier = new Set(response.listeners("close"));
  const show = (isOver: boolean) => Object.assign(response, { destroyed: isOver, _closed: isOver });
  show(false);
  return () => {
    show(true);
    for (const listener of response.listeners("close")) {
      if (!earlier.has(listener)) Reflect.apply(listener as () => void, response, []);
    }
  };
}
