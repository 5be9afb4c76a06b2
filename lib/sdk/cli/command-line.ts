import { parseArgs } from "node:util";
import { PaymentsError } from "../protocol/errors.ts";
import { toJson } from "../protocol/json.ts";
import { explain } from "./mcp-server.ts";
import { readArguments, type Verb, type VerbArguments, type VerbContext } from "./verb.ts";
import { VERBS } from "./verbs.ts";

/** How a command ended: 0 done, 1 the answer is no or the call failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2;

type Output = {
  out(text: string): void;
  error(text: string): void;
  /** Prints a part of a line, and resolves when the next one may follow; without it, answers are printed at their end. */
  write?(part: string): Promise<void>;
};
type CommandContext = VerbContext & {
  /** A file's text; `-` is standard input. */
  readFile(path: string): Promise<string>;
  /** Serves MCP over standard input and output until it ends. */
  serveMcp(): Promise<void>;
};

const ENVIRONMENT = `Environment:
  TURNPIKE_API_KEY  your API key, from the API keys page; \`search\`, \`price\` and \`check-receipt\` need none
  TURNPIKE_URL      the service's address; required with a live key (default: http://localhost:3000)`;

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
  { out, error, write }: Output,
): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    (name === undefined ? error : out)(USAGE);
    return name === undefined ? 2 : 0;
  }
  if (name === "mcp") {
    const [first] = rest;
    const isHelp = first === "--help" || first === "-h";
    if (first === undefined) await context.serveMcp();
    else if (isHelp) out(USAGE);
    else error(`mcp takes no ${JSON.stringify(first)}.\n\nUsage: turnpike mcp`);
    return first === undefined || isHelp ? 0 : 2;
  }
  const verb = VERBS.find((one) => one.name === name);
  if (!verb) {
    error(`Unknown command ${JSON.stringify(name)}.\n\n${USAGE}`);
    return 2;
  }
  const given = readOptions(verb, rest);
  const refuse = (message: string, isJson = false): ExitCode => {
    if (isJson) out(toJson({ error: { code: "invalid_input", message } }, 2));
    error(`${message}\n\nUsage: ${usageOf(verb)}\nSee turnpike ${verb.name} --help.`);
    return 2;
  };
  if ("usage" in given) return refuse(given.usage, rest.includes("--json"));
  if (given.help) {
    out(helpOf(verb));
    return 0;
  }
  let input: VerbArguments;
  try {
    const label = (input: string) => labelOf(verb, input);
    input = readArguments(verb, await withFiles(given.input, context), label);
  } catch (cause) {
    return refuse((cause as Error).message, given.json);
  }
  try {
    // The tokens of a command end with its process.
    const once: VerbContext = {
      ...context,
      isKept: false,
      maxAnswer: undefined,
      note: error,
      write: given.json ? undefined : write,
    };
    const { json, text, isRefused = false } = await verb.run(once, input);
    if (given.json || text) out(given.json ? toJson(json, 2) : text);
    return isRefused ? 1 : 0;
  } catch (cause) {
    const code = PaymentsError.is(cause) ? cause.code : "internal";
    if (!PaymentsError.is(cause)) context.onFault?.(cause);
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
      return {
        usage: `Unexpected ${JSON.stringify(second ?? first)}. Put a value with spaces in quotes.`,
      };
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
    return { usage: wrongOption(verb, cause as NodeJS.ErrnoException, args) };
  }
}

/** What is wrong with the options, in our words: `parseArgs` speaks of positional arguments. */
function wrongOption(verb: Verb, cause: NodeJS.ErrnoException, args: readonly string[]): string {
  const named = /'(-[^ ']*)/.exec(cause.message)?.[1] ?? "";
  if (cause.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const isFlag = ["--json", "--help"].includes(named);
    return isFlag ? `${named} takes no value.` : `${named || args.at(-1)} needs a value.`;
  }
  const likely = Object.keys(verb.inputs)
    .filter((input) => input !== verb.positional)
    .map((input) => `--${optionOf(input)}`)
    .find((option) => named.length > 3 && (option.startsWith(named) || named.startsWith(option)));
  return `Unknown option ${named}.${likely ? ` Did you mean ${likely}?` : ""}`;
}

async function withFiles(
  input: Record<string, string | string[]>,
  { readFile }: CommandContext,
): Promise<Record<string, string | string[]>> {
  const entries = Object.entries(input).map(async ([name, value]) => [
    name,
    FILES.includes(name) ? await readFile(String(value)).catch(refuseFile(String(value))) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

const refuseFile = (path: string) => (cause: NodeJS.ErrnoException) => {
  const why =
    cause.code === "ENOENT" ? "There is no such file" : `It can't be read (${cause.code})`;
  throw new PaymentsError("invalid_input", `${path}: ${why}.`);
};

const placeOf = ({ positional = "", required }: Verb): string =>
  positional && (required.includes(positional) ? `<${positional}>` : `[${positional}]`);
const labelOf = (verb: Verb, input: string): string =>
  input === verb.positional ? placeOf(verb) : `--${optionOf(input)}`;
const usageOf = (verb: Verb): string =>
  ["turnpike", verb.name, placeOf(verb), "[options]"].filter(Boolean).join(" ");

function helpOf(verb: Verb): string {
  const { summary, positional, inputs, required } = verb;
  const described = Object.entries(inputs).map(([input, { description }]) => {
    const label = labelOf(verb, input) + (input === positional ? "" : " <value>");
    const note = required.includes(input) && input !== positional ? " Required." : "";
    const file = FILES.includes(input) ? " A file, or - for standard input." : "";
    return `  ${label}\n      ${description}${note}${file}`;
  });
  return `Usage: ${usageOf(verb)}

${summary}.

${described.join("\n")}
  --json
      Print JSON.
  --help
      Show this text.

${ENVIRONMENT}

Exits with 0 when it worked, 1 when the answer is no or the call failed, 2 for wrong usage.`;
}
