import { join } from "node:path";
import { styleText } from "node:util";
import { PaymentsError } from "@turnpike/payments/protocol";
import { Command, Help, Option } from "commander";
import { STORY_STEPS, type StoryStep } from "../lib/playground/story-steps.ts";
import { readSandboxFile, type SandboxFile } from "../lib/sandbox/sandbox-file.ts";
import { runStory } from "../lib/sandbox/story.ts";
import { creditsText, describeError, type PlanKind } from "../lib/sandbox/story-step.ts";
import { readEnv } from "../lib/server/env.ts";
import { loadDotEnv } from "../lib/server/settings/load-settings.ts";

type Options = { json: boolean; plan?: PlanKind; sandbox?: string };

const HEALTH_TIMEOUT_MS = 3_000;
const TEXT_WIDTH = 76;

const program = new Command("npm run demo --")
  .description("Plays a complete paid call against the running sandbox and checks each step.")
  .option("--json", "print one JSON document only", false)
  .addOption(
    new Option("--plan <plan>", "the plan to pay with (default: the first that works)").choices([
      "trial",
      "crypto",
      "card",
    ]),
  )
  .option("--sandbox <path>", "the sandbox file (default: in the data folder)")
  .allowExcessArguments(false)
  .action(async (options: Options) => {
    process.exitCode = (await play(options)) ? 0 : 1;
  });

async function play(options: Options): Promise<boolean> {
  const print = options.json ? undefined : createPrinter();
  const steps: StoryStep[] = [];
  let sandbox: SandboxFile | undefined;
  let failure: string | undefined;
  try {
    sandbox = await findService(options);
    print?.start(sandbox);
    for await (const step of runStory({ sandbox, ...(options.plan && { plan: options.plan }) })) {
      steps.push(step);
      print?.step(step, steps.length);
    }
  } catch (error) {
    failure = describeError(error);
    process.stderr.write(`${failure}\n`);
  }
  const result = summarise(steps, { sandbox, failure });
  if (options.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else if (sandbox && !failure) print?.end(result);
  return result.ok;
}

async function findService(options: Options): Promise<SandboxFile> {
  loadDotEnv();
  const path = options.sandbox ?? join(readEnv(process.env).dataDir, "sandbox.json");
  const sandbox = await readSandboxFile(path);
  const hint = "Start it with npm start, or use --sandbox <path>.";
  const health = `${sandbox.url}/api/v1/health`;
  const answer = await fetch(health, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).catch(
    (cause: unknown) => {
      throw new PaymentsError("network_error", `Turnpike does not respond at ${sandbox.url}.`, {
        hint,
        cause,
      });
    },
  );
  await answer.body?.cancel();
  if (answer.ok) return sandbox;
  const message = `Turnpike at ${sandbox.url} is not ready: ${health} returns ${answer.status}.`;
  throw new PaymentsError("unavailable", message, { hint: "Try again in a moment." });
}

type Result = ReturnType<typeof summarise>;

function summarise(
  steps: StoryStep[],
  { sandbox, failure }: { sandbox: SandboxFile | undefined; failure: string | undefined },
) {
  const factsOf = (id: string) => steps.find((step) => step.id === id)?.facts ?? {};
  const order = factsOf("order");
  const receipt = factsOf("receipt");
  return {
    ok: steps.length === STORY_STEPS.length && steps.every(({ ok }) => ok),
    url: sandbox?.url ?? null,
    plan: order.kind ?? factsOf("plan").kind ?? null,
    planId: order.planId ?? factsOf("plan").planId ?? null,
    steps,
    transaction: receipt.transaction ?? null,
    creditsRedeemed: receipt.creditsRedeemed ?? null,
    remainingBalance: receipt.remainingBalance ?? null,
    ...(failure !== undefined && { error: failure }),
  };
}

type Style = Parameters<typeof styleText>[0];

/** Prints the story as it runs, in colour on a terminal that supports it. */
function createPrinter() {
  const hasColour = process.stdout.isTTY === true && process.stdout.hasColors();
  const paint = (style: Style, text: string) => (hasColour ? styleText(style, text) : text);
  const write = (line = "") => process.stdout.write(`${line}\n`);
  const indented = (text: string, style: Style) => {
    for (const line of new Help().boxWrap(text, TEXT_WIDTH - 9).split("\n"))
      write(`         ${paint(style, line)}`);
  };

  return {
    start({ url }: SandboxFile): void {
      write();
      write(`  ${paint("bold", "A paid call, step by step")}`);
      write(`  ${paint("dim", `${url}, sandbox, no real money`)}`);
      write();
    },
    step(step: StoryStep, number: number): void {
      const { title, ok, ran, durationMs, status, money, meaning, error, facts } = step;
      const mark = !ran
        ? paint("dim", "–")
        : ok
          ? paint(money === "challenged" ? "blue" : "green", "✓")
          : paint(money === "delivered-unsettled" ? "yellow" : "red", "✗");
      const time = ran ? `${durationMs.toLocaleString("en-US")} ms` : "not run";
      const plain = status === undefined ? title : `${title}  ${status}`;
      const gap = " ".repeat(Math.max(2, TEXT_WIDTH - 9 - plain.length - time.length));
      const shown =
        status === undefined ? paint("bold", title) : `${paint("bold", title)}  ${status}`;
      const head = `${paint("dim", String(number).padStart(4))}  ${mark}  `;
      write(`${head}${ran ? shown : paint("dim", title)}${gap}${paint("dim", time)}`);
      if (!ran) return;
      indented(meaning, []);
      if (error) indented(error, "red");
      indented(describeFacts(facts), "dim");
      write();
    },
    end({ ok, transaction, creditsRedeemed, remainingBalance }: Result): void {
      if (!ok) {
        write();
        write(`  ${paint(["bold", "red"], "Failed.")} See the step marked ✗.`);
        write();
        return;
      }
      const used = `${creditsText(creditsRedeemed ?? "0")} used`;
      write(`  ${paint(["bold", "green"], "Settled.")} ${used}, ${remainingBalance} left.`);
      if (transaction) write(`  ${paint("dim", `transaction ${transaction}`)}`);
      write();
    },
  };
}

const describeFacts = (facts: Record<string, string>): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${shorten(value) || "–"}`)
    .join(", ");

// Shorten ids and hashes, and keep sentences.
const shorten = (value: string) =>
  value.length > 24 && !value.includes(" ") && !value.startsWith("http")
    ? `${value.slice(0, 10)}…${value.slice(-6)}`
    : value;

await program.parseAsync();
