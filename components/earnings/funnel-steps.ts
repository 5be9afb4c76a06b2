import type { Funnel } from "@/lib/console/figures.ts";
import { groupDigits } from "../ui/values/money-text.ts";

type Step = {
  label: string;
  count: number;
  ink: string;
  /** How many calls dropped out before the next step, and why. */
  dropped?: string | undefined;
};

/** The steps of a call from the first 402 to settlement. */
export function funnelSteps(funnel: Funnel): Step[] {
  const { challenged, verified, notCharged, delivered, settled } = funnel;
  return [
    {
      label: "Payment required",
      count: challenged,
      ink: "fill-challenged",
      dropped: unpaidText(funnel),
    },
    {
      label: "Verified",
      count: verified,
      ink: "fill-ink/75",
      dropped: notCharged > 0 ? `${groupDigits(notCharged)} not charged` : undefined,
    },
    {
      label: "Delivered",
      count: delivered,
      ink: "fill-ink/75",
      dropped: delivered > settled ? `${groupDigits(delivered - settled)} unsettled` : undefined,
    },
    { label: "Settled", count: settled, ink: "fill-settled" },
  ];
}

/** A client that knows its plan sends a token at once: its calls are declined or verified without a 402 before. */
function unpaidText({ challenged, refused, verified }: Funnel): string | undefined {
  const unpaid = challenged - verified;
  const declined = `${groupDigits(refused)} declined`;
  if (unpaid <= refused) return refused > 0 ? declined : undefined;
  const dropped = `${groupDigits(unpaid)} dropped out`;
  return refused > 0 ? `${dropped}, ${groupDigits(refused)} of them declined` : dropped;
}
