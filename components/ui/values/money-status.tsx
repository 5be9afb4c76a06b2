import type { MoneyStatus as Status } from "@turnpike/payments/protocol";
import { cn } from "../cn.ts";
import { Icon, type IconName } from "../icon.tsx";
import { Spinner } from "../spinner.tsx";
import { type PillSize, pill } from "./pill-look.ts";

type Look = { word: string; meaning: string; icon: IconName; tint: string; ink: string };

const NEUTRAL = { tint: "bg-tint-neutral", ink: "text-ink-2" };
const AMBER = { tint: "bg-tint-unsettled", ink: "text-unsettled" };

export const MONEY_STATUSES: Record<Status, Look> = {
  settled: {
    word: "Settled",
    meaning: "Response delivered, credits charged, receipt sent.",
    icon: "check",
    tint: "bg-tint-settled",
    ink: "text-settled",
  },
  "delivered-unsettled": {
    word: "Unsettled",
    meaning: "You have the response, but payment was not confirmed.",
    icon: "half",
    ...AMBER,
  },
  challenged: {
    word: "Payment required",
    meaning: "The agent requires payment before it works.",
    icon: "lock",
    tint: "bg-tint-challenged",
    ink: "text-challenged",
  },
  refused: {
    word: "Declined",
    meaning: "The payment was not accepted.",
    icon: "cross",
    tint: "bg-tint-refused",
    ink: "text-refused",
  },
  "not-charged": {
    word: "Not charged",
    meaning: "The agent failed, so no credits were charged.",
    icon: "minus",
    ...NEUTRAL,
  },
  free: { word: "Free", meaning: "No payment was required.", icon: "minus", ...NEUTRAL },
  unknown: {
    word: "Unknown",
    meaning: "The outcome is unknown. Don’t pay again yet.",
    icon: "dashed",
    ...AMBER,
  },
};

/** A payment status: a tinted pill with an icon and a word. An HTTP status never looks like this. */
export function MoneyStatus({ status, size = "normal" }: { status: Status; size?: PillSize }) {
  const { word, icon, tint, ink } = MONEY_STATUSES[status];
  return (
    <span className={cn(pill({ size }), tint)} data-money={status}>
      <Icon name={icon} className={cn(size === "large" ? "size-4.5" : "size-3.5", ink)} />
      {word}
    </span>
  );
}

export function RunningPill({ children }: { children: string }) {
  return (
    <span className={cn(pill(), "bg-tint-accent")}>
      <Spinner className="size-3 text-accent" />
      {children}
    </span>
  );
}

/** A run that ended before payment was required. */
export function NeutralPill({ children }: { children: string }) {
  return (
    <span className={cn(pill(), "bg-tint-neutral")}>
      <Icon name="minus" className="size-3.5 text-ink-2" />
      {children}
    </span>
  );
}
