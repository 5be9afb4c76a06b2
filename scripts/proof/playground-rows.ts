import { atLeast, find, node, type ProofRow, same, testsPassed, vitest } from "./figures.ts";

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
      ...node("scripts/with-sandbox.ts", ...vitest("lib/server/agents", "e2e/doctor-cli.test.ts")),
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
];
