import { runPlayground } from "./engine.ts";
import { EXACT_PRICE, type ExactFault, type ExactRecipe } from "./exact-faults.ts";
import { EXACT_PATHS } from "./lab-places.ts";
import { usdcText } from "./offer-cost.ts";
import type { Transport } from "./ports.ts";
import type { RunEvent } from "./run.ts";
import {
  type FaultResult,
  type LabOptions,
  labRequest,
  resultOf,
  twice,
  waitFor,
  withPaid,
} from "./run-fault.ts";

/** The most a run of the lab pays, in dollars. */
const MAX_DOLLARS = usdcText(EXACT_PRICE);

/**
 * Produces a fault of a payment by `exact`, and returns how its run ended with what left the payer's account on chain.
 * What the run signed is for one payment; its delegation ends with it.
 */
export async function* runExactFault(
  fault: ExactFault,
  { places, lab, service, transport, signal }: Omit<LabOptions, "rail" | "own">,
): AsyncGenerator<RunEvent, FaultResult> {
  const { path, isUnpaid, maxDollars = MAX_DOLLARS, waitsMs, sends } = fault.exact;
  const before = await lab.money({ isToppedUp: true });
  const run = yield* runPlayground({
    input: {
      ...labRequest(`${places.url}${EXACT_PATHS[path]}`),
      token: { kind: isUnpaid ? "none" : "test" },
      maxDollars,
    },
    service,
    signal,
    transport: sends ? SENDS[sends](transport) : transport,
    approve: async () => true,
    mayStep: async (id) => {
      if (waitsMs && id === "verify") await waitFor(waitsMs, signal);
      return "go";
    },
  });
  const paid = before - (await lab.money({ isToppedUp: false }));
  return resultOf(fault, run, { credits: null, paid: String(paid) });
}

const SENDS: Record<NonNullable<ExactRecipe["sends"]>, (transport: Transport) => Transport> = {
  "at-once": twice,
  again: (transport) =>
    withPaid(transport, async (request, options) => {
      await transport(request, options);
      return transport(request, options);
    }),
  leaves: (transport) =>
    withPaid(transport, (request, options) => {
      const gone = new AbortController();
      const signal = AbortSignal.any([options.signal, gone.signal]);
      return transport(request, { ...options, signal, onPartial: () => gone.abort() });
    }),
};
