import type { Payments } from "../client/payments.ts";
import { PaymentsError } from "../protocol/errors.ts";

/** One input of a verb: an option of the command line, and a member of an MCP tool's arguments. */
type VerbInput = {
  type: "string" | "integer" | "array";
  description: string;
};

/** What a verb's work may use. */
export type VerbContext = {
  /** The client of the caller's account. Throws `unauthorized` without an API key. */
  payments(): Payments;
  /** Reads a public path of the service, as JSON. */
  read(path: string): Promise<unknown>;
  /** Reaches an agent. */
  reach(request: Request): Promise<Response>;
  /** Whether later calls pay with the same tokens, by which agents recognize a repeat. */
  isKept: boolean;
  /** The most characters of an answer; without it, all of them. */
  maxAnswer?: number | undefined;
  /** Counts a further message of a batch for its caller, whatever it asks; what it throws refuses the whole batch. */
  countMessage?: (() => Promise<unknown>) | undefined;
  /** Reports a failure that is not shown to the caller. */
  onFault?: ((error: unknown) => void) | undefined;
  /** Shows what the caller may need if the verb does not end. */
  note?: ((line: string) => void) | undefined;
  /** Shows a part of a verb's answer as it comes; what it shows is not in the answer's text. */
  write?: ((part: string) => Promise<void>) | undefined;
};

export type VerbArguments = Record<string, string | number | string[] | undefined>;

/** What a verb found: for programs, and in words for people. `isRefused`: the answer is no. */
export type VerbAnswer = { json: object; text: string; isRefused?: boolean };

/** One thing that agents and people do, offered by the command line and by the MCP server alike. */
export type Verb = {
  name: string;
  summary: string;
  /** The input that needs no option's name. */
  positional?: string;
  inputs: Record<string, VerbInput>;
  required: readonly string[];
  /** Whether it may spend money or change something. */
  isReadOnly: boolean;
  run(context: VerbContext, input: VerbArguments): Promise<VerbAnswer>;
};

/**
 * The arguments as the verb's inputs say. Throws `invalid_input` that names the first wrong one, as `labelOf` calls
 * inputs: the command line has options.
 */
export function readArguments(
  verb: Verb,
  given: Record<string, unknown>,
  labelOf: (input: string) => string = (input) => input,
): VerbArguments {
  const refuse = (message: string): never => {
    throw new PaymentsError("invalid_input", message);
  };
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(verb.inputs, name));
  if (unknown !== undefined) refuse(`${verb.name} has no input ${JSON.stringify(unknown)}.`);
  for (const name of verb.required) {
    if (given[name] === undefined || given[name] === "") {
      refuse(`${verb.name} needs ${labelOf(name)}.`);
    }
  }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const type = verb.inputs[name]?.type;
      const label = labelOf(name);
      if (type === "array") {
        const isTexts = Array.isArray(value) && value.every((item) => typeof item === "string");
        return [name, isTexts ? value : refuse(`${label} is not a list of texts.`)];
      }
      if (type === "string") {
        return [name, typeof value === "string" ? value : refuse(`${label} is not a text.`)];
      }
      const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
      const isWhole = Number.isSafeInteger(number) && (number as number) >= 0;
      return [name, isWhole ? (number as number) : refuse(`${label} is not a whole number.`)];
    }),
  );
}
