import { titleOfCause } from "@/lib/console/attempt-causes.ts";
import type { LostCause } from "@/lib/console/business.ts";
import { plural } from "@/lib/text/plural.ts";
import { ShareBar } from "../ui/data/share-bar.tsx";
import { Section } from "../ui/page-header.tsx";
import { groupDigits } from "../ui/values/money-text.ts";

/** Why calls were lost, most frequent first, with the period before. */
export function LostCauses({ causes }: { causes: readonly LostCause[] }) {
  if (causes.length === 0) return null;
  const most = Math.max(...causes.map(({ calls }) => calls));
  return (
    <Section id="lost-causes" title="Lost calls by cause">
      <ul className="grid">
        {causes.map(({ cause, calls, previous }) => (
          <li
            key={cause}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 border-line py-2 not-last:border-b sm:grid-cols-[minmax(0,1fr)_minmax(0,12rem)_auto]"
          >
            <span className="wrap-anywhere">{titleOfCause(cause)}</span>
            <ShareBar percent={(calls * 100) / most} className="text-ink-2 max-sm:hidden" />
            <span className="text-end tabular-nums">
              {plural(calls, "call")}
              <span className="block text-ink-2 text-small">
                {groupDigits(previous)} in the previous period
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
