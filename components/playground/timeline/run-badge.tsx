import { bannerOf } from "@/lib/playground/banner.ts";
import type { Run } from "@/lib/playground/run.ts";
import { MoneyStatus } from "../../ui/values/money-status.tsx";
import type { PillSize } from "../../ui/values/pill-look.ts";
import { StatePill } from "../../ui/values/state-pill.tsx";

const TONES = { ok: "good", warn: "warn", error: "bad", skipped: "neutral" } as const;

/** The payment status of a run, or what happened where no payment was requested. */
export function RunBadge({ run, size = "normal" }: { run: Run; size?: PillSize }) {
  const { money, badge } = bannerOf(run);
  if (money) return <MoneyStatus status={money} size={size} />;
  if (!badge) return <StatePill tone="neutral">Stopped</StatePill>;
  return (
    <StatePill tone={TONES[badge.status]} size={size}>
      {badge.word}
    </StatePill>
  );
}
