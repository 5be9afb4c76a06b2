import { reachByNode } from "./reach-by-node.ts";
import type { ServiceAnswer, ServiceRequest } from "./service-request.ts";

/** A way to the service. Follows no redirect, which would lose a POST's body or carry the key elsewhere. */
export type Reach = (
  url: string,
  request: ServiceRequest,
  signal: AbortSignal,
) => Promise<ServiceAnswer>;

/** The way over a `fetch`. */
export const reachByFetch =
  (fetch: typeof globalThis.fetch): Reach =>
  (url, { body, isBackground: _, ...request }, signal) =>
    fetch(url, { ...request, ...(body !== undefined && { body }), redirect: "manual", signal });

const platformFetch = globalThis.fetch;

/** Over Node's own HTTP on Node; over `fetch` elsewhere, and where a test or a tracer replaced `fetch`. */
export const reachByPlatform: Reach = (url, request, signal) => {
  const isReplaced = globalThis.fetch !== platformFetch;
  const answer = isReplaced ? null : reachByNode(url, request, signal);
  return (
    answer ?? reachByFetch((input, init) => globalThis.fetch(input, init))(url, request, signal)
  );
};
