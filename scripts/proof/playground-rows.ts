import {
  atLeast,
  below,
  browser,
  find,
  node,
  type ProofRow,
  passedInBrowser,
  same,
  testsPassed,
  vitest,
} from "./figures.ts";

/** The promises of the playground and the doctor. */
export const PLAYGROUND_ROWS: ProofRow[] = [
  {
    id: "doctor",
    area: "playground",
    show: "37 checks against a correct agent, one broken agent per check, and the demo agent with paid checks",
    bar: "each broken agent fails its check only; the demo agent has 0 errors and never exceeds the cap",
    command: [
      "env",
      "DOCTOR_AGENTS=all",
      ...node("scripts/with-sandbox.ts", ...vitest("lib/probe", "e2e/doctor-cli.test.ts")),
    ],
    figure: (output) => {
      const [held, errors = "", used, cap] = find(
        output,
        /doctor: demo agent (\d+) held, errors (\d+), credits (\d+) of (\d+)/,
      );
      const [broken, checks] = find(output, /doctor: (\d+) broken agents for (\d+) checks/);
      if (Number(used) > Number(cap)) throw new Error(`${used} credits used, the cap is ${cap}`);
      return [
        `${broken} broken agents for ${atLeast("", Number(checks), 37).trim()} checks`,
        `demo agent: ${held} held, ${same("errors", errors, "0")}, ${used} of ${cap} credits`,
        testsPassed(output),
      ].join("; ");
    },
  },
  {
    id: "exports",
    area: "playground",
    show: "cURL, SDK, fetch and Playwright snippets run as printed with a real token; HAR of every kind of run",
    bar: "each is paid once and sends the input; HAR is valid; no secret in any",
    command: vitest("lib/playground/exports.test.ts"),
    figure: testsPassed,
  },
  {
    id: "ssrf",
    area: "playground",
    show: "spellings of internal addresses, directly, behind redirects and behind changing names",
    bar: ">= 200 spellings, 0 connections",
    command: vitest("lib/adapters/outbound"),
    figure: (output) => {
      const [spellings, connections = ""] = find(
        output,
        /ssrf: (\d+) spellings x 3, connections (\d+)/,
      );
      return `${atLeast("spellings", Number(spellings), 200)} x 3, ${same("connections", connections, "0")}`;
    },
  },
  {
    id: "a1",
    area: "playground",
    show: "the first page to a settled call, without an account (A1)",
    bar: "one click, at most 10 s",
    command: browser("e2e/landing.spec.ts", "-g", "one click plays"),
    figure: (output) => {
      const [clicks = "", secs] = find(output, /A1: clicks (\d+), ([\d.]+) s/);
      return `${same("clicks", clicks, "1")}, ${below("s", Number(secs), 10.1)}`;
    },
  },
  {
    id: "outcomes",
    area: "playground",
    show: "every outcome of the six steps that an agent or a plan can cause, on both rails",
    bar: "each with its own message, payment status and a working button",
    command: browser("e2e/playground-outcomes.spec.ts"),
    figure: passedInBrowser,
  },
  {
    id: "foreign-agents",
    area: "playground",
    show: "third-party agents: stock x402, MCP, an app in front of LangGraph's runs, endless and huge responses",
    bar: "each explained correctly; none of their code runs in the page",
    command: browser("e2e/playground-agents.spec.ts"),
    figure: passedInBrowser,
  },
  {
    id: "failure-lab",
    area: "playground",
    show: "18 faults, run for real on crypto and card plans; two are for cards only (A14)",
    bar: "each ends at its step with its reason, payment status and credits; none stays armed",
    command: browser("e2e/playground-faults.spec.ts", "-g", "all faults"),
    figure: (output) => {
      const [crypto = ""] = find(output, /failure lab: (\d+) of 18 as expected on crypto plans/);
      const [card = ""] = find(output, /failure lab: (\d+) of 18 as expected on card plans/);
      return `of 18: ${same("crypto", crypto, "18")}, ${same("card", card, "18")}`;
    },
  },
  {
    id: "kept-and-shared",
    area: "playground",
    show: "runs saved, pinned, renamed, replayed and compared; shared, listed, revoked, read by others",
    bar: "no planted secret in saved or shared runs; a revoked link is gone",
    command: browser("e2e/playground-history.spec.ts", "e2e/playground-share.spec.ts"),
    figure: passedInBrowser,
  },
  {
    id: "playground-inp",
    area: "playground",
    show: "10 000 saved runs and a paid 5 MB response: typing, opening, scrolling, running, every tab, copy, export",
    bar: "every interaction within 200 ms",
    command: node("scripts/proof/pages/playground-inp.ts"),
    figure: (output) => {
      const [worst, count] = find(output, /playground inp: worst (\d+) ms over (\d+) interactions/);
      const [usual] = find(output, /98th percentile (\d+) ms/);
      return `${below("worst ms", Number(worst), 201)} over ${count} interactions, 98th percentile ${usual} ms`;
    },
  },
  {
    id: "playground-pages",
    area: "playground",
    show: "playground, failure lab, doctor, shared run and first page: 320 to 1920 px, light and dark, dialogs open, by keyboard alone",
    bar: "no axe violations, no sideways scroll, no clipped tabs, full keyboard control",
    command: browser(
      "e2e/playground.spec.ts",
      "e2e/playground-faults.spec.ts",
      "e2e/playground-share.spec.ts",
      "e2e/doctor.spec.ts",
      "e2e/landing.spec.ts",
      "-g",
      "axe|sideways|keyboard|is visible at every width|shows its timeline|shared links are",
    ),
    figure: passedInBrowser,
  },
];
