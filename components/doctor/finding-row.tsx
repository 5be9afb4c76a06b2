import type { DoctorFinding } from "@/lib/probe/report/report.ts";
import { Icon } from "../ui/icon.tsx";

const WORDS = { error: "Error", warning: "Warning", info: "Note" } as const;
const LOOKS = {
  error: { icon: "cross", ink: "text-refused" },
  warning: { icon: "alert", ink: "text-unsettled" },
  info: { icon: "info", ink: "text-ink-2" },
  pass: { icon: "tick", ink: "text-settled" },
  skip: { icon: "minus", ink: "text-ink-2" },
} as const;

/** One check with its result; opens to show the request, the response and the fix. */
export function FindingRow({ finding }: { finding: DoctorFinding }) {
  const { id, title, state, severity, sentence, asked, came, fix } = finding;
  const { icon, ink } = LOOKS[state === "fail" ? severity : state];
  const word = state === "fail" ? WORDS[severity] : state === "pass" ? "Passed" : "Skipped";
  return (
    <li data-check={id} data-state={state} className="border-line not-last:border-b">
      <details open={state === "fail"} className="group">
        <summary className="grid min-h-11 cursor-pointer list-none grid-cols-[16px_2.5rem_minmax(0,1fr)_16px] items-center gap-x-2.5 py-1.5 text-note sm:min-h-9 [&::-webkit-details-marker]:hidden">
          <Icon name={icon} className={`size-4 ${ink}`} />
          <code className="text-ink-2 text-small">{id}</code>
          <span className="wrap-anywhere">
            <span className="font-medium">{title}</span>
            <span className={state === "fail" ? "text-ink-2" : "sr-only"}> {word}</span>
            {/* On wide screens, closed rows show the result as well. */}
            <span className="ms-3 text-ink-2 group-open:hidden max-lg:hidden">{sentence}</span>
          </span>
          <Icon
            name="down"
            className="size-3.5 text-ink-2 transition-transform group-open:rotate-180"
          />
        </summary>
        <dl className="grid gap-x-3 gap-y-1 pb-3 text-note wrap-anywhere sm:ms-[66px] sm:grid-cols-[5rem_minmax(0,1fr)]">
          <Line term="Result">{sentence}</Line>
          {asked && (
            <Line term="Request">
              <code className="text-small">{asked}</code>
            </Line>
          )}
          {came && <Line term="Response">{came}</Line>}
          {fix && <Line term="Fix">{fix}</Line>}
        </dl>
      </details>
    </li>
  );
}

function Line({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{term}</dt>
      <dd>{children}</dd>
    </>
  );
}
