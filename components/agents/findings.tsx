import type { Finding } from "@/lib/probe/report/probe.ts";
import { plural } from "@/lib/text/plural.ts";
import { Icon } from "../ui/icon.tsx";

const WORDS = { error: "Error", warning: "Warning", info: "Note" } as const;
const LOOKS = {
  error: { icon: "cross", ink: "text-refused" },
  warning: { icon: "alert", ink: "text-unsettled" },
  info: { icon: "info", ink: "text-ink-2" },
} as const;

/** What checks found, failures first, each with how to fix it. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  const order = { error: 0, warning: 1, info: 2 };
  const sorted = [...findings].sort((one, other) => {
    const rank = (finding: Finding) => (finding.state === "pass" ? 9 : order[finding.severity]);
    return rank(one) - rank(other) || one.id.localeCompare(other.id);
  });
  return (
    <ul>
      {sorted.map((finding) => {
        const { id, title, sentence, fix, state, severity } = finding;
        const isGood = state === "pass";
        const { icon, ink } = isGood
          ? ({ icon: "tick", ink: "text-settled" } as const)
          : LOOKS[severity];
        return (
          <li
            key={id}
            data-check={id}
            data-state={state}
            className="grid grid-cols-[16px_2.5rem_minmax(0,1fr)] items-start gap-x-2.5 border-line py-1.75 not-last:border-b text-note"
          >
            <Icon name={icon} className={`mt-0.5 size-4 ${ink}`} />
            <code className="text-ink-2 text-small">{id}</code>
            <div className="wrap-anywhere">
              <span className="font-medium">{title}</span>
              {!isGood && <span className="text-ink-2"> {WORDS[severity]}</span>}
              <p className="text-ink-2">
                <span className="sr-only">{isGood ? "Passed: " : ""}</span>
                {sentence}
              </p>
              {fix && <p>{fix}</p>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

export const faultCounts = (findings: readonly Finding[]) => {
  const of = (severity: Finding["severity"]) =>
    findings.filter((one) => one.state === "fail" && one.severity === severity).length;
  return { errors: of("error"), warnings: of("warning") };
};

export const countsText = ({ errors, warnings }: ReturnType<typeof faultCounts>): string =>
  `${plural(errors, "error")}, ${plural(warnings, "warning")}`;
