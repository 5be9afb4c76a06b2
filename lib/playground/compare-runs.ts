import { decidingStep, type Run, STEPS, stepNumber } from "./run.ts";

/** One value of two runs, side by side. */
export type ComparedLine = { name: string; before: string; after: string; isSame: boolean };

/** Two runs side by side: their requests, outcomes, costs and durations. */
export type ComparedRuns = {
  lines: ComparedLine[];
  latency: (ComparedLine & { change: string })[];
  /** The offers as text, for a line-by-line diff. */
  envelopes: { before: string; after: string };
};

const NONE = "none";

/** Compares an earlier run with a later one. Durations are listed apart, because they always differ. */
export function compareRuns(before: Run, after: Run): ComparedRuns {
  const line = (name: string, read: (run: Run) => string): ComparedLine => {
    const [a, b] = [read(before), read(after)];
    return { name, before: a, after: b, isSame: a === b };
  };
  const latency = (name: string, read: (run: Run) => number) => {
    const [a, b] = [read(before), read(after)];
    const change = `${b >= a ? "+" : "−"}${Math.abs(b - a).toLocaleString("en-US")} ms`;
    return { ...line(name, (run) => `${read(run).toLocaleString("en-US")} ms`), change };
  };
  return {
    lines: [
      line("Request", ({ input }) => `${input.method} ${input.url}`),
      line("Body", ({ input }) => input.body ?? NONE),
      line("Payment status", ({ money }) => money ?? NONE),
      line("Outcome", endOf),
      line("Reason", ({ steps }) => steps.findLast(({ reason }) => reason)?.reason ?? NONE),
      line("Credits used", usedBy),
      line("Plan", ({ planName, planId }) => planName ?? planId ?? NONE),
    ],
    latency: [
      ...STEPS.map(({ id, title }) =>
        latency(title, ({ steps }) => steps.find((step) => step.id === id)?.durationMs ?? 0),
      ),
      latency("Total", ({ steps }) => steps.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    ],
    envelopes: { before: envelopeOf(before), after: envelopeOf(after) },
  };
}

function endOf(run: Run): string {
  const step = decidingStep(run);
  return step ? `step ${stepNumber(step.id)}, ${step.outcome}` : NONE;
}

function usedBy({ credits, money }: Run): string {
  if (money !== "settled") return money === "unknown" ? "unknown" : "0";
  const isKnown = credits && /^\d+$/.test(credits.before) && /^\d+$/.test(credits.after);
  return isKnown ? String(BigInt(credits.before) - BigInt(credits.after)) : "unknown";
}

const envelopeOf = ({ requirement }: Run): string =>
  requirement ? JSON.stringify(requirement, null, 2) : "";
