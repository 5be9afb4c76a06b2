import { formatCount, plural } from "@/lib/text/plural.ts";

export type Severity = "error" | "warning" | "info";

/** One check's result. `asked` is the request it looked at, `came` the response. */
export type DoctorFinding = {
  /** Stable: reports, fix prompts and tests refer to it. */
  id: string;
  severity: Severity;
  title: string;
  /** The sentence of a skipped check says why it was skipped. */
  state: "pass" | "fail" | "skip";
  sentence: string;
  fix?: string;
  asked?: string;
  came?: string;
};

/** The cost of the paid checks; credits as decimal strings. */
export type PaidQuote =
  | {
      isPossible: true;
      planId: string;
      planName: string;
      upTo: string;
      left: string;
      /** A test customer pays, and orders what is missing with test money. */
      isTest?: boolean;
    }
  | { isPossible: false; why: string };

/** The checks of one endpoint, as data. */
export type DoctorReport = {
  verb: string;
  url: string;
  /** ISO 8601. */
  checkedAt: string;
  findings: DoctorFinding[];
  /**
   * What the paid checks were allowed to use and what they used, from the service's records of their requests; null if
   * none ran. `balanceMoved` is how much the balance decreased meanwhile: more than that if other calls of the account
   * used the plan, or if the agent charged for anything else.
   */
  paid: {
    planId: string;
    planName: string;
    maxCredits: string;
    creditsUsed: string;
    balanceMoved: string;
  } | null;
  quote: PaidQuote;
};

/** What a 402 offers; null where it is of another service. */
type OfferedPlan = { planId: string | null; planName: string | null };

/** Progress events, and the report and the plans that were offered at the end. */
export type DoctorEvent =
  | { type: "progress"; words: string; done: number; of: number }
  | { type: "end"; report: DoctorReport; offers: OfferedPlan[] };

export type Counts = Record<Severity | "passed" | "skipped", number>;

export function countFindings(findings: readonly DoctorFinding[]): Counts {
  const counts: Counts = { error: 0, warning: 0, info: 0, passed: 0, skipped: 0 };
  for (const { state, severity } of findings) {
    if (state === "fail") counts[severity] += 1;
    else counts[state === "pass" ? "passed" : "skipped"] += 1;
  }
  return counts;
}

/** The severity of the worst failed check, or null if all passed. */
export function worstOf(findings: readonly DoctorFinding[]): Severity | null {
  const counts = countFindings(findings);
  return (["error", "warning", "info"] as const).find((severity) => counts[severity] > 0) ?? null;
}

/** `0 errors, 3 warnings, checked 2026-11-21` */
export function summarizeReport({ findings, checkedAt }: DoctorReport): string {
  const { error, warning } = countFindings(findings);
  return `${plural(error, "error")}, ${plural(warning, "warning")}, checked ${checkedAt.slice(0, 10)}`;
}

const RANK = { error: 0, warning: 1, info: 2 };

/** Failed checks first, worst on top, then passed, then skipped. */
export function sortFindings<Found extends Pick<DoctorFinding, "id" | "state" | "severity">>(
  findings: readonly Found[],
): Found[] {
  const rank = ({ state, severity }: Found) =>
    state === "fail" ? RANK[severity] : state === "pass" ? 8 : 9;
  return [...findings].sort(
    (one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id),
  );
}

/** `1 credit`, `25 credits` */
export const creditsText = (credits: string | bigint): string => plural(BigInt(credits), "credit");

/** What the user agrees to before paid checks run. */
export const confirmationText = (quote: Extract<PaidQuote, { isPossible: true }>): string =>
  quote.isTest
    ? `This uses up to ${creditsText(quote.upTo)} of “${quote.planName}”. Your test customer pays with test money.`
    : `This uses up to ${creditsText(quote.upTo)} of “${quote.planName}” (${formatCount(BigInt(quote.left))} left).`;

export const jsonOf = (report: DoctorReport): string => `${JSON.stringify(report, null, 2)}\n`;
