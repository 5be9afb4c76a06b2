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

/** What the playground and the doctor promise. */
export const PLAYGROUND_ROWS: ProofRow[] = [
  {
    id: "doctor",
    area: "playground",
    show: "37 checks against a sound agent, one broken agent per check, and the demo agent with paid checks",
    bar: "each broken agent fails its check and no other; the demo agent has 0 errors, never beyond the cap",
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
    bar: "each is paid once and sends what was typed; HAR holds against its published schema; no secret in any",
    command: vitest("lib/playground/exports.test.ts"),
    figure: testsPassed,
  },
  {
    id: "ssrf",
    area: "playground",
    show: "spellings of inside addresses, directly, behind redirects and behind names that change",
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
    show: "every outcome of the six steps that an agent or a plan can bring about, on both rails",
    bar: "each told in its own words, with its money and a button that works",
    command: browser("e2e/playground-outcomes.spec.ts"),
    figure: passedInBrowser,
  },
  {
    id: "foreign-agents",
    area: "playground",
    show: "agents nobody here wrote: stock x402, MCP, an app before LangGraph's runs, endless and huge answers",
    bar: "each explained rightly; nothing of theirs runs in the page",
    command: browser("e2e/playground-agents.spec.ts"),
    figure: passedInBrowser,
  },
  {
    id: "failure-lab",
    area: "playground",
    show: "18 faults, run for real on crypto and on card plans; two are of cards alone (A14)",
    bar: "each ends at its step, with its reason, its money and its credits; none stays armed",
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
    show: "runs kept, pinned, renamed, replayed and compared; shared, listed, ended, read by a stranger",
    bar: "no planted secret in what is kept or shared; an ended link is gone",
    command: browser("e2e/playground-history.spec.ts", "e2e/playground-share.spec.ts"),
    figure: passedInBrowser,
  },
  {
    id: "playground-inp",
    area: "playground",
    show: "10 000 kept runs and a paid answer of 5 MB: typing, opening, scrolling, running, every tab, copy, export",
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
    show: "playground, failure lab, doctor, shared run and first page: 320 to 1920 px, light and dark, dialogs open, by keys alone",
    bar: "no axe finding, no sideways scroll, no clipped tab; a keyboard does it all",
    command: browser(
      "e2e/playground.spec.ts",
      "e2e/playground-faults.spec.ts",
      "e2e/playground-share.spec.ts",
      "e2e/doctor.spec.ts",
      "e2e/landing.spec.ts",
      "-g",
      "axe|sideways|keyboard|is visible at every width|shows its timeline|your links",
    ),
    figure: passedInBrowser,
  },
];
