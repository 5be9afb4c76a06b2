import type { MoneyStatus as Status } from "@turnpike/payments/protocol";
import { cn } from "../cn.ts";
import { Icon, type IconName } from "../icon.tsx";
import { Spinner } from "../spinner.tsx";
import { type PillSize, pill } from "./pill-look.ts";

type Look = { word: string; meaning: string; icon: IconName; tint: string; ink: string };

const NEUTRAL = { tint: "bg-tint-neutral", ink: "text-ink-2" };
const AMBER = { tint: "bg-tint-unsettled", ink: "text-unsettled" };

/** The seven words for what happened to the money of a call. */
export const MONEY_STATUSES: Record<Status, Look> = {
  settled: {
    word: "Settled",
    meaning: "Answer delivered, credits taken, receipt sent.",
    icon: "check",
    tint: "bg-tint-settled",
    ink: "text-settled",
  },
  "delivered-unsettled": {
    word: "Delivered, not settled",
    meaning: "You have the answer, but payment was not confirmed.",
    icon: "half",
    ...AMBER,
  },
  challenged: {
    word: "Challenged",
    meaning: "The agent asked for payment before it works.",
    icon: "lock",
    tint: "bg-tint-challenged",
    ink: "text-challenged",
  },
  refused: {
    word: "Refused",
    meaning: "A payment was offered and not accepted.",
    icon: "cross",
    tint: "bg-tint-refused",
    ink: "text-refused",
  },
  "not-charged": {
    word: "Not charged",
    meaning: "The agent failed, so nothing was taken.",
    icon: "minus",
    ...NEUTRAL,
  },
  free: { word: "Free", meaning: "No payment was asked.", icon: "minus", ...NEUTRAL },
  unknown: {
    word: "Unknown",
    meaning: "The outcome could not be learnt. Do not pay again yet.",
    icon: "dashed",
    ...AMBER,
  },
};

/** What the money did: a tinted pill with an icon and a word. An HTTP status never looks like this. */
export function MoneyStatus({ status, size = "normal" }: { status: Status; size?: PillSize }) {
  const { word, icon, tint, ink } = MONEY_STATUSES[status];
  return (
    <span className={cn(pill({ size }), tint)} data-money={status}>
      <Icon name={icon} className={cn(size === "large" ? "size-4.5" : "size-3.5", ink)} />
      {word}
    </span>
  );
}

/** A run under way. */
export function RunningPill({ children }: { children: string }) {
  return (
    <span className={cn(pill(), "bg-tint-accent")}>
      <Spinner className="size-3 text-accent" />
      {children}
    </span>
  );
}

/** A run that ended before any money was asked for. */
export function NeutralPill({ children }: { children: string }) {
  return (
    <span className={cn(pill(), "bg-tint-neutral")}>
      <Icon name="minus" className="size-3.5 text-ink-2" />
      {children}
    </span>
  );
}
