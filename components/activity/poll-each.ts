import type { RequestRecord } from "@turnpike/payments/protocol";
import { isMoving } from "./request-state.ts";

const STEPS: readonly (readonly [readings: number, ms: number])[] = [
  [10, 1_000],
  [30, 2_000],
  [130, 5_000],
];

type State = { data: RequestRecord | undefined; dataUpdateCount: number };

/** How soon to read a request again: often at first, then less often, and not at all once it is final. */
export function pollEach({ data, dataUpdateCount }: State): number | false {
  if (!data || !isMoving(data)) return false;
  const step = STEPS.find(([readings]) => dataUpdateCount < readings);
  return step ? step[1] : false;
}
