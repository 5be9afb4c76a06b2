/** How bad it is when a check does not hold. */
export type Severity = "error" | "warning" | "info";

/** What one check found. `asked` is the request it looked at, `came` what was answered. */
export type DoctorFinding = {
  /** Stable: reports, fix prompts and tests name it. */
  id: string;
  severity: Severity;
  title: string;
  /** A check that had nothing to judge is skipped; its sentence says why. */
  state: "pass" | "fail" | "skip";
  sentence: string;
  /** What mends it. */
  fix?: string;
  asked?: string;
  came?: string;
};

/** What paid checks would cost: credits as decimal strings. */
export type PaidQuote =
  | { isPossible: true; planId: string; planName: string; upTo: string; left: string }
  | { isPossible: false; why: string };

/** A whole examination of one endpoint, as data. */
export type DoctorReport = {
  verb: string;
  url: string;
  /** ISO 8601. */
  checkedAt: string;
  findings: DoctorFinding[];
  /**
   * What paid checks were allowed and what they used, as the service's records of their requests say; null when
   * none ran. `balanceMoved` is by how much the balance went down meanwhile: more, when other calls of the account
   * used the plan too, or the agent took what no request of these calls asked for.
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

/** What an examination tells, as it goes. */
export type DoctorEvent =
  | { type: "progress"; words: string; done: number; of: number }
  | { type: "end"; report: DoctorReport };

export type Counts = Record<Severity | "passed" | "skipped", number>;

export function countFindings(findings: readonly DoctorFinding[]): Counts {
  const counts: Counts = { error: 0, warning: 0, info: 0, passed: 0, skipped: 0 };
  for (const { state, severity } of findings) {
    if (state === "fail") counts[severity] += 1;
    else counts[state === "pass" ? "passed" : "skipped"] += 1;
  }
  return counts;
}

/** The worst of what does not hold, or null when everything holds. */
export function worstOf(findings: readonly DoctorFinding[]): Severity | null {
  const counts = countFindings(findings);
  return (["error", "warning", "info"] as const).find((severity) => counts[severity] > 0) ?? null;
}

/** `0 errors, 3 warnings, checked 2026-11-21` */
export function summarizeReport({ findings, checkedAt }: DoctorReport): string {
  const { error, warning } = countFindings(findings);
  return `${count(error, "error")}, ${count(warning, "warning")}, checked ${checkedAt.slice(0, 10)}`;
}

const RANK = { error: 0, warning: 1, info: 2 };

/** Faults first, the worst on top; then what holds; what was skipped last. */
export function sortFindings(findings: readonly DoctorFinding[]): DoctorFinding[] {
  const rank = ({ state, severity }: DoctorFinding) =>
    state === "fail" ? RANK[severity] : state === "pass" ? 8 : 9;
  return [...findings].sort(
    (one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id),
  );
}

/** `1 credit`, `25 credits` */
export const creditsText = (credits: string | bigint): string =>
  count(BigInt(credits), "credit", BigInt(credits).toLocaleString("en-US"));

/** What a person agrees to before paid checks run. */
export const confirmationText = (quote: Extract<PaidQuote, { isPossible: true }>): string =>
  `This will use up to ${creditsText(quote.upTo)} of '${quote.planName}' (${BigInt(quote.left).toLocaleString("en-US")} left).`;

const count = (number: number | bigint, noun: string, text = String(number)): string =>
  `${text} ${BigInt(number) === 1n ? noun : `${noun}s`}`;

/** The report as a file: the same data, indented. */
export const jsonOf = (report: DoctorReport): string => `${JSON.stringify(report, null, 2)}\n`;
