import { FOREIGN } from "../headers.ts";

/** Headers by name, as Node and Fastify list them. */
export type HeaderList = Record<string, number | string | readonly string[] | undefined>;

/** They describe one body, and no app's answers in general. */
const OF_ONE_ANSWER = new Set([
  ...["content-type", "content-length", "content-encoding", "content-range", "transfer-encoding"],
  ...["trailer", "etag", "last-modified"],
]);

/**
 * Adds what middleware before the gate has set, such as the headers of CORS, to the answer: without them a web page cannot read
 * a 402. The answer's own headers win.
 *
 * @param worked the headers of the work's answer, which has removed what it lacks.
 */
export function addHeadersBefore(answer: Headers, before: HeaderList, worked?: Headers): void {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined || OF_ONE_ANSWER.has(name) || worked?.has(name) === false) continue;
    if (FOREIGN.test(name) && name !== "set-cookie") continue;
    const values = Array.isArray(value) ? value : [`${value}`];
    if (name === "vary") mergeVary(answer, values.join(", "));
    else if (!answer.has(name)) for (const each of values) answer.append(name, each);
  }
}

function mergeVary(answer: Headers, before: string): void {
  const split = (text: string) => text.split(",").map((name) => name.trim());
  const names = [...split(before), ...split(answer.get("vary") ?? "")].filter(Boolean);
  const byName = new Map(names.map((name) => [name.toLowerCase(), name]));
  answer.set("vary", [...byName.values()].join(", "));
}
