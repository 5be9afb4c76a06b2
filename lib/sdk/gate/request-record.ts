import { pathOf } from "../protocol/match-route.ts";
import type { MoneyStatus } from "../protocol/permission.ts";
import type { GateObserver, Phase, RequestEvent } from "./observe.ts";

type Facts = Omit<
  RequestEvent,
  "type" | keyof Phase | "method" | "path" | "httpStatus" | "moneyStatus" | "reason"
>;

/** What has become known of a request. */
export type RequestFacts = { [Name in keyof Facts]?: Facts[Name] | undefined };

/** What becomes known of one request on its way through the gate; reported to the observer at its end. */
export type RequestRecord = {
  add(facts: RequestFacts): void;
  /** Reports the request; only the first call counts. */
  end(outcome: { moneyStatus: MoneyStatus; httpStatus: number; reason?: string }): void;
};

/** Opens the record of a request that is gated, or whose path is ambiguous. */
export function openRecord(
  observe: GateObserver,
  request: { method: string; url: string },
  route: { key: string; planIds: readonly string[]; agentId?: string } | null,
): RequestRecord {
  const facts: Facts = {
    planIds: route?.planIds ?? [],
    ...(route && { route: route.key }),
    ...(route?.agentId !== undefined && { agentId: route.agentId }),
  };
  const stopClock = startClock();
  let isOver = false;

  return {
    add(given) {
      for (const name in given) {
        const value = given[name as keyof Facts];
        if (value !== undefined) (facts as Record<string, unknown>)[name] = value;
      }
    },
    end(outcome) {
      if (isOver) return;
      isOver = true;
      const { method, url } = request;
      observe({ type: "request", ...stopClock(), method, path: pathOf(url), ...facts, ...outcome });
    },
  };
}

/** Starts a clock; the function it returns reads it. */
export function startClock(): () => Phase {
  const startedAt = Date.now();
  const start = performance.now();
  return () => ({ startedAt, durationMs: performance.now() - start });
}
