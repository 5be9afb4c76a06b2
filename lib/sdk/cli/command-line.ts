import { parseArgs } from "node:util";
import { PaymentsError } from "../protocol/errors.ts";
import { toJson } from "../protocol/json.ts";
import { explain } from "./mcp-server.ts";
import { readArguments, type Verb, type VerbContext } from "./verb.ts";
import { VERBS } from "./verbs.ts";

/** How a command ended: 0 done, 1 the answer is no or the call failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2;

type Output = { out(text: string): void; error(text: string): void };
type CommandContext = VerbContext & {
  /** A file's text; `-` is standard input. */
  readFile(path: string): Promise<string>;
  /** Serves MCP over standard input and output until it ends. */
  serveMcp(): Promise<void>;
};

const ENVIRONMENT = `Environment:
  TURNPIKE_API_KEY  your API key, of Settings, API keys; \`search\`, \`price\` and \`check-receipt\` need none
  TURNPIKE_URL      the service's address (default: http://localhost:3000)`;

const USAGE = `Usage: turnpike <command> [options]

Commands:
${VERBS.map(({ name, summary }) => `  ${name.padEnd(15)}${summary}`).join("\n")}
  mcp            Serve these commands as tools over MCP, on standard input and output

Each command has --help, and --json for programs.

${ENVIRONMENT}`;

/** These inputs are read from files. */
const FILES = ["receipt", "keys"];

const optionOf = (input: string) => input.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Runs one command. What it prints has no key in it; a token only where minting one was the command. */
export async function runCommand(
  args: readonly string[],
  context: CommandContext,
  { out, error }: Output,
): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    (name === undefined ? error : out)(USAGE);
    return name === undefined ? 2 : 0;
  }
  if (name === "mcp") {
    if (rest.length > 0) out(USAGE);
    else await context.serveMcp();
    return 0;
  }
  const verb = VERBS.find((one) => one.name === name);
  if (!verb) {
    error(`There is no command ${JSON.stringify(name)}.\n\n${USAGE}`);
    return 2;
  }
  const given = readOptions(verb, rest);
  if ("usage" in given) {
    error(`${given.usage}\n\n${helpOf(verb)}`);
    return 2;
  }
  if (given.help) {
    out(helpOf(verb));
    return 0;
  }
  try {
    const input = readArguments(verb, await withFiles(given.input, context));
    const { json, text, isRefused = false } = await verb.run(context, input);
    out(given.json ? toJson(json, 2) : text);
    return isRefused ? 1 : 0;
  } catch (cause) {
    const code = PaymentsError.is(cause) ? cause.code : "internal";
    if (given.json) out(toJson({ error: { code, message: explain(cause) } }, 2));
    error(explain(cause));
    return code === "invalid_input" ? 2 : 1;
  }
}

type Values = { json?: boolean; help?: boolean } & Record<string, never>;
type Options =
  | { usage: string }
  | { help: boolean; json: boolean; input: Record<string, string | string[]> };

function readOptions(verb: Verb, args: readonly string[]): Options {
  const names = Object.entries(verb.inputs);
  const options = Object.fromEntries(
    names.map(([name, { type }]) => [
      optionOf(name),
      { type: "string" as const, multiple: type === "array" },
    ]),
  );
  const flags = {
    json: { type: "boolean" as const },
    help: { type: "boolean" as const, short: "h" },
  };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, ...flags },
      allowPositionals: true,
    });
    const [first, second] = positionals;
    if (second !== undefined || (first !== undefined && !verb.positional)) {
      return { usage: `Unexpected ${JSON.stringify(second ?? first)}.` };
    }
    const { json = false, help = false, ...texts } = values as Values;
    const input: Record<string, string | string[]> = Object.fromEntries(
      names.flatMap(([name]) => {
        const value: string | string[] | undefined = texts[optionOf(name)];
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
    if (first !== undefined && verb.positional) input[verb.positional] = first;
    return { json, help, input };
  } catch (cause) {
    return { usage: (cause as Error).message };
  }
}

async function withFiles(
  input: Record<string, string | string[]>,
  { readFile }: CommandContext,
): Promise<Record<string, string | string[]>> {
  const entries = Object.entries(input).map(async ([name, value]) => [
    name,
    FILES.includes(name) ? await readFile(String(value)) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

function helpOf({ name, summary, positional, inputs, required }: Verb): string {
  const place =
    positional && (required.includes(positional) ? `<${positional}>` : `[${positional}]`);
  const described = Object.entries(inputs).map(([input, { description }]) => {
    const label = input === positional ? place : `--${optionOf(input)} <value>`;
    const note = required.includes(input) && input !== positional ? " Required." : "";
    const file = FILES.includes(input) ? " A file, or - for standard input." : "";
    return `  ${label}\n      ${description}${note}${file}`;
  });
  return `Usage: turnpike ${[name, place, "[options]"].filter(Boolean).join(" ")}

${summary}.

${described.join("\n")}
  --json
      Print JSON.
  --help
      Show this text.

${ENVIRONMENT}

Exits with 0 when it worked, 1 when the answer is no or the call failed, 2 for wrong usage.`;
}
