import { type Run, STEPS } from "@/lib/playground/run.ts";
import type { WaterfallSpan } from "../../ui/data/waterfall.tsx";

/** The steps of a run in sequence, to scale. */
export function spansOf(run: Run): WaterfallSpan[] {
  let at = 0;
  return run.steps.flatMap(({ id, durationMs, status }) => {
    const startMs = at;
    at += durationMs;
    if (durationMs === 0) return [];
    const name = STEPS.find((step) => step.id === id)?.title ?? id;
    const tone =
      status === "error"
        ? "refused"
        : status === "warn"
          ? "unsettled"
          : id === "pay"
            ? "work"
            : "settled";
    return [{ key: id, name, startMs, durationMs, tone }];
  });
}
