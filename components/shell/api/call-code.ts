import { type Operation, operations, pathMembers } from "@turnpike/payments/protocol";
import { shellText } from "../../plans/agent-address.ts";
import { clientLine, headLines, type Place } from "../../plans/plan-code.ts";
import type { PageCall } from "./page-calls.ts";

export type ApiPlace = Place;

/** What the API takes for a call, as its operation's row makes it. */
export function inputOf({ name, args, input }: PageCall): Record<string, unknown> {
  if (input) return input;
  const { args: positional } = operations[name] as Operation;
  const made = positional ? positional(...(args as never[])) : (args[0] ?? {});
  return made as Record<string, unknown>;
}

export const summaryOf = ({ name }: PageCall): string => operations[name].summary;

/** The call on a command line. The key is read from the environment. */
export function curlOf(call: PageCall, { origin }: ApiPlace): string {
  const row = operations[call.name] as Operation;
  const members = pathMembers(row.path);
  const input = inputOf(call);
  const path = members.reduce(
    (text, name) => text.replace(`:${name}`, encodeURIComponent(String(input[name]))),
    row.path,
  );
  const rest = Object.entries(input).filter(([name]) => !members.includes(name));
  const isRead = row.method === "GET";
  const query = new URLSearchParams(rest.map(([name, value]) => [name, String(value)]));
  const url = `${origin}/api/v1${path}${isRead && rest.length > 0 ? `?${query}` : ""}`;
  const hasBody = !isRead && row.method !== "DELETE";
  return [
    isRead ? "curl -sS" : `curl -sS -X ${row.method}`,
    shellText(url),
    ...(row.access === "public" ? [] : ['-H "Authorization: Bearer $TURNPIKE_API_KEY"']),
    ...(hasBody
      ? [
          '-H "Content-Type: application/json"',
          `-d ${shellText(JSON.stringify(Object.fromEntries(rest)))}`,
        ]
      : []),
  ].join(" \\\n  ");
}

/** The calls of a page with the client, in one script. */
export function javascriptOf(call: PageCall, place: ApiPlace): string {
  const { group } = operations[call.name];
  const args = call.args.filter((arg, index) => index > 0 || !isEmpty(arg)).map(literal);
  return [
    ...headLines(place, "call.mjs"),
    'import { Payments } from "@turnpike/payments";',
    "",
    clientLine(place),
    "",
    `console.log(await payments.${group}.${call.name}(${args.join(", ")}));`,
  ].join("\n");
}

const isEmpty = (arg: unknown) => JSON.stringify(arg) === "{}";

/** A value as JavaScript: JSON, with names of members bare and a space inside braces. */
const literal = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `{ ${Object.entries(value)
        .map(([name, inner]) => `${name}: ${literal(inner)}`)
        .join(", ")} }`
    : JSON.stringify(value);
