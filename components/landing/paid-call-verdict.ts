import type { MoneyStatus } from "@turnpike/payments/protocol";
import { PAYING_STEP, type StoryStep } from "@/lib/playground/story-steps.ts";
import { plural } from "@/lib/text/plural.ts";

/** The payment status of an ended run, in words. */
export type Verdict = {
  /** Absent if the run ended before payment was required. */
  money?: MoneyStatus;
  word: string;
  title: string;
  advice: string;
};

/** Judges an ended run: every step succeeded, one failed, or the visitor stopped it. */
export function judgeRun(steps: StoryStep[], isStopped: boolean): Verdict {
  const failed = steps.find((step) => step.ran && !step.ok);
  if (failed) return judgeFailed(failed, steps);
  if (isStopped) return judgeStopped(steps);
  const used = steps.find(({ id }) => id === "receipt")?.facts.creditsRedeemed ?? "0";
  return {
    money: "settled",
    word: "Settled",
    title: `Paid and settled: ${plural(BigInt(used), "credit")} for one response.`,
    advice: "The receipt, the service’s record and the balance match.",
  };
}

function judgeFailed(failed: StoryStep, steps: StoryStep[]): Verdict {
  const why = [failed.meaning, failed.error].filter(Boolean).join(" ");
  if (failed.money === "delivered-unsettled") {
    return {
      money: "delivered-unsettled",
      word: "Unsettled",
      title: "You have the response, but payment was not confirmed.",
      advice: `${failed.error ?? ""} Credits may still be charged later, but only once per request ID.`,
    };
  }
  if (failed.money === "refused") {
    return {
      money: "refused",
      word: "Declined",
      title: "The payment was declined.",
      advice: why,
    };
  }
  if (steps.some(({ money }) => money === "settled")) {
    const title = "The call is settled, but the last check failed.";
    return { money: "settled", word: "Settled", title, advice: why };
  }
  if (failed.money === "unknown" || hasPaid(steps)) {
    return {
      money: "unknown",
      word: "Unknown",
      title: "The outcome is unknown. Don’t pay again yet.",
      advice: why,
    };
  }
  return {
    word: "Nothing charged",
    title: `Failed at “${failed.title}”. No credits were used.`,
    advice: why,
  };
}

function judgeStopped(steps: StoryStep[]): Verdict {
  const next = steps.length;
  const isPaying = hasPaid(steps) || steps[next - 1]?.id === BEFORE_PAYING;
  if (!isPaying) {
    const title = "You stopped the run before payment. No credits were used.";
    return { word: "Nothing charged", title, advice: "Run it again at any time." };
  }
  return {
    money: "unknown",
    word: "Unknown",
    title: "You stopped the run while the agent was working.",
    advice: "The agent may still respond and be paid. The next run shows the remaining credits.",
  };
}

const BEFORE_PAYING = "verify";

const hasPaid = (steps: StoryStep[]) => steps.some(({ id, ran }) => id === PAYING_STEP && ran);
