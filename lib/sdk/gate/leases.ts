import { letGo } from "../client/waiting/let-go.ts";
import type { OutputOf } from "../protocol/operations.ts";
import type { GateObserver } from "./observe.ts";

/** Keeps the reservations of requests that are under way. */
export type Leases = {
  /** Renews a request's reservation until the function it returns is called. */
  hold(agentRequestId: string, observe: GateObserver): () => void;
};

/** A fifth of a lease, so that a renewal may fail several times. */
const RENEW_EVERY_MS = 60_000;
const MAX_IDS = 1000;

type Renew = (agentRequestIds: string[]) => Promise<OutputOf<"renewPermissions">>;

/**
 * Renews what is held once a minute, in one call per thousand requests, and nothing while nothing is held. A
 * renewal that fails is reported and repeated a minute later; it never fails a request.
 */
export function createLeases(renewAtService: Renew): Leases {
  const live = new Map<string, GateObserver>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function renewAll(): void {
    const ids = Array.from(live.keys());
    for (let start = 0; start < ids.length; start += MAX_IDS) {
      void renew(ids.slice(start, start + MAX_IDS));
    }
    if (ids.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  async function renew(agentRequestIds: string[]): Promise<void> {
    try {
      const { items } = await renewAtService(agentRequestIds);
      for (const { agentRequestId, state } of items) {
        if (state === "held") continue;
        // A request may be settled while its renewal is on the way.
        if (state === "expired" || state === "unknown") report(agentRequestId, "given-up", state);
        live.delete(agentRequestId);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      for (const agentRequestId of agentRequestIds) report(agentRequestId, "repeated", reason);
    }
  }

  function report(agentRequestId: string, outcome: "given-up" | "repeated", reason: string): void {
    live.get(agentRequestId)?.({ type: "job", job: "renewal", agentRequestId, outcome, reason });
  }

  return {
    hold(agentRequestId, observe) {
      live.set(agentRequestId, observe);
      if (timer === undefined) {
        timer = setInterval(renewAll, RENEW_EVERY_MS);
        letGo(timer);
      }
      return () => void live.delete(agentRequestId);
    },
  };
}
