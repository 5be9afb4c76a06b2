import type { ReactNode } from "react";
import { bannerOf } from "@/lib/playground/banner.ts";
import type { Run } from "@/lib/playground/run.ts";
import { CopyButton } from "../../ui/values/copy-button.tsx";
import { shortenIdentifier } from "../../ui/values/shorten-identifier.ts";
import { figuresOf } from "../run/run-figures.ts";
import { RunBadge } from "./run-badge.tsx";

const LEFT_OVER = {
  ended: "Nothing remains: the permission ended with the run.",
  signed:
    "The permission ended with the run. The seller can collect what was signed, once, until it expires.",
  expires: "The permission could not be revoked. It allows one call and expires in ten minutes.",
} as const;

/** Whether the payment of a run is not confirmed. */
export const isOpenMoney = ({ money }: Run): boolean =>
  money === "delivered-unsettled" || money === "unknown";

/** The payment status of a run, with its sentence and figures. */
export function RunBanner({ run, action }: { run: Run; action: ReactNode }) {
  const { money, sentence } = bannerOf(run);
  const deciding = run.steps.findLast(({ reason }) => reason !== null);
  const figures = figuresOf(run);
  const isSigned = run.steps.some(({ outcome }) => outcome === "signed");
  const leftOver = run.permission === "ended" && isSigned && isOpenMoney(run);
  return (
    <div
      data-testid="pg-money"
      data-money={money ?? ""}
      data-reason={deciding?.reason ?? ""}
      className="grid gap-3"
    >
      <div className="flex flex-wrap items-center gap-3">
        <RunBadge run={run} size="large" />
        <p className="wrap-anywhere min-w-40 flex-1 max-sm:order-last max-sm:basis-full">
          {sentence}
        </p>
        {action && <div className="ms-auto">{action}</div>}
      </div>
      {run.permission && (
        <div data-testid="pg-payer" className="text-ink-2 text-note">
          Run as your {run.input.token.kind === "test" ? "test customer" : "account"}.{" "}
          {LEFT_OVER[leftOver ? "signed" : run.permission]}
        </div>
      )}
      {figures.length > 0 && (
        <dl className="grid grid-cols-[repeat(auto-fill,minmax(7.5rem,1fr))] gap-x-4 gap-y-2">
          {figures.map(({ term, value, isId }) => (
            <div key={term} className="min-w-0">
              <dt className="text-ink-2 text-small">{term}</dt>
              <dd className="wrap-anywhere font-medium text-body tabular-nums">
                {isId ? (
                  <span className="flex items-center gap-1 whitespace-nowrap font-mono text-mono">
                    <span title={value}>{shortenIdentifier(value)}</span>
                    <CopyButton text={value} label={`Copy ${term.toLowerCase()}`} />
                  </span>
                ) : (
                  value
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
