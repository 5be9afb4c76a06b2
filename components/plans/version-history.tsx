import type { PlanVersion } from "@/lib/console/business.ts";
import { plural } from "@/lib/text/plural.ts";
import { DiffView } from "../ui/data/diff-view.tsx";
import { Section } from "../ui/page-header.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { describeTerms } from "./describe-plan.ts";
import type { Market } from "./market.ts";
import type { PlanTerms } from "./plan-terms.ts";
import { readTerms } from "./terms-of-plan.ts";

type VersionHistoryProps = {
  /** Newest first. */
  versions: readonly PlanVersion[];
  terms: PlanTerms;
  market: Market;
};

export function VersionHistory({ versions, terms, market }: VersionHistoryProps) {
  if (versions.length < 2) return null;
  const textOf = ({ price, credits }: PlanVersion) =>
    describeTerms({ ...terms, ...readTerms({ price, credits }) }, market)
      .map(({ term, text }) => `${term}: ${text}`)
      .join("\n");
  return (
    <Section
      id="plan-versions"
      title="Price history"
      meta="Subscribers keep the version they ordered"
    >
      <p className="mb-3 text-ink-2 text-note">
        A version is a price and its credits. The name, the visibility and the accounts that can use
        credits aren’t versioned: changes apply to every subscriber immediately.
      </p>
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {versions.map((one, index) => {
          const before = versions[index + 1];
          const head = (
            <>
              <span className="font-medium">Version {one.version}</span>
              <span className="text-ink-2 text-note">
                <TimeAgo at={one.createdAt} />, {plural(one.subscribers, "subscriber")}
              </span>
            </>
          );
          return (
            <li key={one.version}>
              {before ? (
                <details open={index === 0}>
                  <summary className="flex min-h-(--control) cursor-pointer flex-wrap items-center gap-x-3">
                    {head}
                  </summary>
                  <DiffView
                    label={`Version ${one.version} against ${before.version}`}
                    before={textOf(before)}
                    after={textOf(one)}
                    beforeName={`Version ${before.version}`}
                    afterName={`Version ${one.version}`}
                  />
                </details>
              ) : (
                <p className="flex flex-wrap items-center gap-x-3">{head}</p>
              )}
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
