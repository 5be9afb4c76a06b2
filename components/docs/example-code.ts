import type { CodeSample } from "../ui/data/code-tabs.tsx";
import type { OperationEntry } from "./read-operations.ts";
import type { Recorded } from "./recorded-examples.ts";

/** The recorded call on a command line, with the client, and in Python. Address and key come from the environment. */
export function exampleCode(entry: OperationEntry, example: Recorded): CodeSample[] {
  return [
    { language: "curl", label: "cURL", code: curl(entry, example) },
    { language: "ts", label: "TypeScript", code: typescript(entry, example) },
    { language: "python", label: "Python", code: python(entry, example) },
  ];
}

function curl(
  { method, right }: OperationEntry,
  { request: { path, repeatKey, body } }: Recorded,
): string {
  return [
    `curl -sS ${method === "GET" ? "" : `-X ${method} `}"$TURNPIKE_URL/api/v1${path}"`,
    ...(right ? ['-H "Authorization: Bearer $TURNPIKE_API_KEY"'] : []),
    ...(repeatKey ? [`-H "Idempotency-Key: ${repeatKey}"`] : []),
    ...(body
      ? [
          '-H "Content-Type: application/json"',
          `-d '${indented(pretty(body), 2).replaceAll("'", "'\\''")}'`,
        ]
      : []),
  ].join(" \\\n  ");
}

function typescript(entry: OperationEntry, { request, args }: Recorded): string {
  if (!args || !entry.call) return throughFetch(entry, request);
  const call = `payments.${entry.call.split(".").slice(1).join(".")}`;
  return [
    'import { Payments } from "@turnpike/payments";',
    "",
    "const payments = Payments.getInstance();",
    "",
    `const answer = await ${call}(${args.map((each) => literal(each)).join(", ")});`,
    "console.log(answer);",
  ].join("\n");
}

function throughFetch(
  { method, right }: OperationEntry,
  { path, repeatKey, body }: Recorded["request"],
): string {
  const headers = {
    ...(repeatKey && { "Idempotency-Key": repeatKey }),
    ...(body && { "Content-Type": "application/json" }),
  };
  return [
    `const answer = await fetch(\`\${process.env.TURNPIKE_URL}/api/v1${path}\`, {`,
    `  method: "${method}",`,
    "  headers: {",
    ...(right ? ['    Authorization: "Bearer " + process.env.TURNPIKE_API_KEY,'] : []),
    ...Object.entries(headers).map(([name, value]) => `    "${name}": "${value}",`),
    "  },",
    ...(body ? [`  body: JSON.stringify(${indented(literal(body), 2)}),`] : []),
    "});",
    "console.log(await answer.json());",
  ].join("\n");
}

function python(
  { method, right }: OperationEntry,
  { request: { path, repeatKey, body } }: Recorded,
): string {
  return [
    "import json",
    "import os",
    "import urllib.error",
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    os.environ["TURNPIKE_URL"] + "/api/v1${path}",`,
    `    method="${method}",`,
    "    headers={",
    ...(right ? ['        "Authorization": "Bearer " + os.environ["TURNPIKE_API_KEY"],'] : []),
    ...(repeatKey ? [`        "Idempotency-Key": "${repeatKey}",`] : []),
    ...(body ? ['        "Content-Type": "application/json",'] : []),
    "    },",
    ...(body ? [`    data=json.dumps(${indented(pythonLiteral(body), 4)}).encode(),`] : []),
    ")",
    "try:",
    "    print(json.load(urllib.request.urlopen(request, timeout=60)))",
    "except urllib.error.HTTPError as error:",
    "    print(json.load(error))",
  ].join("\n");
}

/** JSON on several lines; what is short stays on one. */
export function pretty(value: unknown): string {
  const short = JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, " ") ?? "null";
  if (short.length <= 60 || typeof value !== "object" || value === null) return short;
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) =>
    indented(isList ? pretty(member) : `${JSON.stringify(name)}: ${pretty(member)}`, 2),
  );
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n  ${members.join(",\n  ")}\n${close}`;
}

const literal = (value: unknown): string => pretty(value).replaceAll(/"([A-Za-z_]\w*)":/g, "$1:");

const pythonLiteral = (value: unknown): string =>
  pretty(value).replaceAll(/: (true|false|null)\b/g, (_, word: string) =>
    word === "null" ? ": None" : word === "true" ? ": True" : ": False",
  );

const indented = (text: string, by: number) => text.replaceAll("\n", `\n${" ".repeat(by)}`);
