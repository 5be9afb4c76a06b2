import type { AgentMarketFacts } from "@/lib/console/market-facts.ts";
import { Icon } from "../ui/icon.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";

type DomainBadgeProps = {
  domain: NonNullable<AgentMarketFacts["domain"]>;
  /** Whether “domain verified” is shown, and not only read out. */
  isNamed?: boolean;
};

export function DomainBadge({ domain, isNamed }: DomainBadgeProps) {
  const since = absoluteTime(new Date(domain.provedAt));
  return (
    <span
      className="inline-flex min-w-0 items-center gap-1.5 text-note"
      title={`Domain verified since ${since}: it lists this agent’s ID.`}
    >
      <Icon name="verified" className="size-4 text-settled" />
      <span className="wrap-anywhere min-w-0">
        {domain.host}
        <span className={isNamed ? "" : "sr-only"}>, domain verified</span>
      </span>
    </span>
  );
}

export function DoctorLine({ doctor }: { doctor: AgentMarketFacts["doctor"] }) {
  if (!doctor) return <span className="text-ink-2">Not checked yet</span>;
  const isClean = doctor.passed === doctor.checks;
  return (
    <span className="inline-flex items-center gap-1.5 tabular-nums">
      <Icon
        name={isClean ? "check" : "half"}
        className={isClean ? "size-3.5 text-settled" : "size-3.5 text-unsettled"}
      />
      {doctor.passed} of {doctor.checks} checks passed
    </span>
  );
}
