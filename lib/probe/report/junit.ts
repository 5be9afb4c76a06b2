import { countFindings, type DoctorFinding, type DoctorReport } from "./report.ts";

/**
 * The report as JUnit XML, one case per check. Only errors are failures; failed warnings and notes pass with their
 * sentence in `system-out`, because they should not break a build.
 */
export function junitOf(report: DoctorReport): string {
  const { verb, url, checkedAt, findings } = report;
  const { error, skipped } = countFindings(findings);
  const totals = `tests="${findings.length}" failures="${error}" errors="0" skipped="${skipped}" time="0"`;
  const suite = attributes({
    name: `402 doctor: ${verb} ${url}`,
    timestamp: checkedAt.replace(/(\.\d+)?Z$/, ""),
    hostname: URL.canParse(url) ? new URL(url).host : "",
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `  <testsuite ${suite} ${totals}>`,
    ...findings.map((finding) => caseOf(finding, `${verb} ${url}`)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function caseOf(finding: DoctorFinding, endpoint: string): string {
  const { id, title, state, severity, sentence } = finding;
  const open = `    <testcase ${attributes({ name: `${id} ${title}`, classname: endpoint })} time="0"`;
  const told = escapeXml(linesOf(finding).join("\n"));
  if (state === "skip")
    return `${open}>\n      <skipped ${attributes({ message: sentence })}/>\n    </testcase>`;
  if (state === "fail" && severity === "error") {
    return `${open}>\n      <failure ${attributes({ type: severity, message: sentence })}>${told}</failure>\n    </testcase>`;
  }
  return `${open}>\n      <system-out>${told}</system-out>\n    </testcase>`;
}

function linesOf({ state, severity, sentence, fix, asked, came }: DoctorFinding): string[] {
  return [
    state === "fail" ? `${severity}: ${sentence}` : sentence,
    ...(asked ? [`Request: ${asked}`] : []),
    ...(came ? [`Response: ${came}`] : []),
    ...(fix ? [`Fix: ${fix}`] : []),
  ];
}

const attributes = (members: Record<string, string>): string =>
  Object.entries(members)
    .map(([name, value]) => `${name}="${escapeXml(value, true)}"`)
    .join(" ");

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
};

/** Untrusted text as XML text or attribute. Characters that XML 1.0 forbids become U+FFFD. */
function escapeXml(text: string, isAttribute = false): string {
  const whole = text.toWellFormed().replace(UNSPEAKABLE, "\ufffd");
  return whole.replace(isAttribute ? /[&<>"\n\r\t]/g : /[&<>\r]/g, (one) => ENTITIES[one] ?? one);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters XML 1.0 forbids.
const UNSPEAKABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
