import { pathOf } from "../protocol/match-route.ts";
import type { MoneyStatus, Settlement } from "../protocol/permission.ts";
import type { GateObserver, Phase, RequestEvent } from "./observe.ts";
import type { Route } from "./routes.ts";

type Known = Pick<
  RequestEvent,
  "planId" | "agentId" | "agentRequestId" | "scheme" | "network" | "payer" | "paymentToken"
>;

/** What is known of one request on its way through the gate; told to the observer at its end. */
export type Pass = {
  /** Adds what has become known. */
  know(facts: { [Name in keyof Known]?: Known[Name] | undefined }): void;
  /** Starts a clock; calling it again stops it. */
  startVerify(): (isValid: boolean) => void;
  startWork(): () => void;
  startSettle(): (settlement: Settlement) => void;
  /** The request is over; only the first end counts. */
  end(outcome: { moneyStatus: MoneyStatus; httpStatus: number; reason?: string | undefined }): void;
};

/** Opens the record of a request that is gated, or whose path cannot be read. */
export function openPass(
  observe: GateObserver,
  request: { method: string; url: string },
  route: Route | null,
): Pass {
  const phases: Pick<RequestEvent, "verify" | "work" | "settle"> = {};
  const known: Partial<Known> = route?.agentId === undefined ? {} : { agentId: route.agentId };
  const total = startClock();
  let isOver = false;

  return {
    know(facts) {
      const given = Object.entries(facts).filter(([, value]) => value !== undefined);
      Object.assign(known, Object.fromEntries(given));
    },
    startVerify() {
      const clock = startClock();
      return (isValid) => {
        phases.verify = { ...clock(), isValid };
      };
    },
    startWork() {
      const clock = startClock();
      return () => {
        phases.work = clock();
      };
    },
    startSettle() {
      const clock = startClock();
      return (settlement) => {
        phases.settle = { ...clock(), settlement };
      };
    },
    end({ moneyStatus, httpStatus, reason }) {
      if (isOver) return;
      isOver = true;
      observe({
        type: "request",
        ...total(),
        method: request.method,
        path: pathOf(request.url),
        ...(route && { route: route.key }),
        planIds: route?.planIds ?? [],
        ...known,
        httpStatus,
        moneyStatus,
        ...(reason !== undefined && { reason }),
        ...phases,
      });
    },
  };
}

function startClock(): () => Phase {
  const startedAt = Date.now();
  const start = performance.now();
  return () => ({ startedAt, durationMs: performance.now() - start });
}
