import { createLater } from "../ui/later.ts";

// What only some runs show: a first visit does not wait for it.

export const ComparedRuns = createLater(
  () => import("./inspector/compared-runs.tsx"),
  "ComparedRuns",
);
export const ComparedCors = createLater(
  () => import("./inspector/compared-cors.tsx"),
  "ComparedCors",
);
export const FaultsTab = createLater(() => import("./run/faults-tab.tsx"), "FaultsTab");
export const FaultResults = createLater(
  () => import("./inspector/fault-results.tsx"),
  "FaultResults",
);
export const FaultVerdict = createLater(
  () => import("./inspector/fault-results.tsx"),
  "FaultVerdict",
);

export const PaymentApproval = createLater(
  () => import("./timeline/payment-approval.tsx"),
  "PaymentApproval",
);

/** Prefetches them while the page is idle, so that they are there without a connection too. */
export function fetchPartsAhead(): void {
  const parts = [
    ComparedRuns,
    ComparedCors,
    FaultsTab,
    FaultResults,
    FaultVerdict,
    PaymentApproval,
  ];
  for (const part of parts) part.ahead();
}
