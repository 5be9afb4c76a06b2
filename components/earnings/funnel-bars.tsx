import type { Funnel } from "@/lib/console/figures.ts";
import { cn } from "../ui/cn.ts";
import { groupDigits } from "../ui/values/money-text.ts";

/** How many calls reached each step from the first 402 to settlement, as bars of one scale. */
export function FunnelBars({ funnel }: { funnel: Funnel }) {
  const steps = funnelSteps(funnel);
  const most = Math.max(1, ...steps.map(({ count }) => count));
  return (
    <table className="w-full border-collapse text-note">
      <caption className="sr-only">Calls from the first 402 to settlement</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Step</th>
          <td>Bar</td>
          <th scope="col">Calls</th>
          <th scope="col">Dropped out before the next step</th>
        </tr>
      </thead>
      <tbody>
        {steps.map(({ label, count, ink, dropped }) => (
          <tr key={label} className="border-line border-b max-sm:grid max-sm:grid-cols-2">
            <th scope="row" className="w-36 py-2 text-start font-medium">
              {label}
            </th>
            <td aria-hidden="true" className="py-2 max-sm:order-last max-sm:col-span-2">
              <svg aria-hidden="true" data-rule className="block h-5 w-full">
                <rect
                  y="3"
                  width={`${((100 * count) / most).toFixed(2)}%`}
                  height="14"
                  className={cn(ink)}
                />
              </svg>
            </td>
            <td className="w-20 py-2 text-end tabular-nums">{groupDigits(count)}</td>
            <td className="w-64 py-2 ps-4 text-ink-2 max-sm:col-span-2 max-sm:w-auto max-sm:ps-0 max-sm:empty:hidden">
              {dropped}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

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
