import type { MoneyStatus } from "@turnpike/payments/protocol";
import { PAYING_STEP, type PaidCallStep } from "./paid-call-step.ts";

/** How a run stands, in the words of the money. */
export type Verdict = {
  /** Absent when the run ended before any money was asked for. */
  money?: MoneyStatus;
  word: string;
  title: string;
  advice: string;
};

/** What an ended run did: all steps held, one broke, or the visitor stopped it. */
export function judgeRun(steps: PaidCallStep[], isStopped: boolean): Verdict {
  const broken = steps.find((step) => step.ran && !step.ok);
  if (broken) return judgeBroken(broken, steps);
  if (isStopped) return judgeStopped(steps);
  const used = steps.find(({ id }) => id === "receipt")?.facts.creditsRedeemed ?? "0";
  return {
    money: "settled",
    word: "Settled",
    title: `Paid and settled: ${used} ${used === "1" ? "credit" : "credits"} for one answer.`,
    advice: "Receipt, the service’s record and the balance agree.",
  };
}

function judgeBroken(broken: PaidCallStep, steps: PaidCallStep[]): Verdict {
  const why = [broken.meaning, broken.error].filter(Boolean).join(" ");
  if (broken.money === "delivered-unsettled") {
    return {
      money: "delivered-unsettled",
      word: "Delivered, not settled",
      title: "You have the answer, but payment was not confirmed.",
      advice: `${broken.error ?? ""} Credits may still be taken later, but for one request id only once.`,
    };
  }
  if (broken.money === "refused") {
    return {
      money: "refused",
      word: "Refused",
      title: "The payment was not accepted.",
      advice: why,
    };
  }
  if (steps.some(({ money }) => money === "settled")) {
    const title = "The call is settled, but the last check did not hold.";
    return { money: "settled", word: "Settled", title, advice: why };
  }
  if (broken.money === "unknown" || hasPaid(steps)) {
    return {
      money: "unknown",
      word: "Unknown",
      title: "We could not learn the outcome. Do not pay again yet.",
      advice: why,
    };
  }
  return {
    word: "Nothing paid",
    title: `Stopped at ‘${broken.title}’. No credits were used.`,
    advice: why,
  };
}

function judgeStopped(steps: PaidCallStep[]): Verdict {
  const next = steps.length;
  const isPaying = hasPaid(steps) || steps[next - 1]?.id === BEFORE_PAYING;
  if (!isPaying) {
    const title = "You stopped it before payment. No credits were used.";
    return { word: "Nothing paid", title, advice: "Run it again at any time." };
  }
  return {
    money: "unknown",
    word: "Unknown",
    title: "You stopped while the agent was at work.",
    advice: "It may still answer and be paid. The next run shows what is left.",
  };
}

const BEFORE_PAYING = "verify";

const hasPaid = (steps: PaidCallStep[]) => steps.some(({ id, ran }) => id === PAYING_STEP && ran);
