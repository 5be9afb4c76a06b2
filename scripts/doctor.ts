import { canParseUrl } from "@turnpike/payments/protocol";
import { Command, InvalidArgumentError, Option } from "commander";
import { failPlainly } from "./fail-plainly.ts";
import type { Options } from "./run-doctor.ts";

const USAGE = 2;

const program = new Command("npm run doctor --")
  .description("Checks an endpoint as a paying client, like the page /doctor.")
  .argument("<url>", "the endpoint's URL, with placeholders as :name or {name}", readUrl)
  .addOption(
    new Option("--method <verb>", "the HTTP method")
      .choices(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])
      .default("POST"),
  )
  .option("--body <json>", "a body that the agent accepts (default: {})")
  .option(
    "--service <url>",
    "the service URL (default: the running sandbox, or http://localhost:3000)",
  )
  .option("--json", "print the report as one JSON document only", false)
  .option("--junit <file>", "also write the report as JUnit XML")
  .option("--paid", "also run the paid checks; needs --max-credits and TURNPIKE_API_KEY", false)
  .option("--max-credits <n>", "the maximum credits for the paid checks", readCredits)
  .option("--plan <id>", "the plan to pay with, also where it is not known to be sold")
  .addHelpText(
    "after",
    [
      "",
      "Environment:",
      "  TURNPIKE_API_KEY  the subscriber's API key, which mints the tokens for paid checks",
      "",
      "Exits with 0 if no check of severity error fails, 1 if one does, 2 for wrong usage.",
    ].join("\n"),
  )
  .allowExcessArguments(false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE))
  .action(async (url: string, options: Options) => {
    if (options.paid && options.maxCredits === undefined) {
      program.error("--paid needs --max-credits <n>: the maximum credits it may use.");
    }
    if (options.paid && !process.env.TURNPIKE_API_KEY) {
      program.error("--paid needs TURNPIKE_API_KEY: a subscriber's API key.");
    }
    // Loaded here: wrong usage is told in a third of the time.
    const { runDoctor } = await import("./run-doctor.ts");
    process.exitCode = await runDoctor(url, options);
  });

function readUrl(text: string): string {
  const isWeb = canParseUrl(text) && /^https?:$/.test(new URL(text).protocol);
  if (isWeb) return text;
  throw new InvalidArgumentError("Enter a URL that starts with https:// or http://.");
}

function readCredits(text: string): bigint {
  if (/^\d{1,30}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError("Enter a whole number of credits.");
}

// 1 is a check that failed.
failPlainly(USAGE);
await program.parseAsync();
