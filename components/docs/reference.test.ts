import { buildOpenApi, type Operation, operations } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { sandbox } from "@/lib/sandbox/operations.ts";
import fields from "@/lib/text/field-descriptions.json" with { type: "json" };
import { sends } from "@/scripts/public/client-calls.ts";
import { exampleCode } from "./example-code.ts";
import { readOperations } from "./read-operations.ts";
import { recordedExamples } from "./recorded-examples.ts";

const rows = Object.entries<Operation>({ ...operations, ...sandbox });
const entries = readOperations({ ...operations, ...sandbox }).flatMap((group) => group.entries);

/** No method of the client sends these: the examples send them by `fetch`. */
const WITHOUT_METHOD = ["orderFiatPlan", "getPricedPlan"];

type Json = Record<string, unknown>;

/** Each member of a schema, at any depth, as `path: description`. */
function membersOf(schema: unknown, path: string): [path: string, description: unknown][] {
  if (Array.isArray(schema)) return schema.flatMap((each) => membersOf(each, path));
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, anyOf, oneOf, items, additionalProperties } = schema as Json;
  return [
    ...Object.entries((properties ?? {}) as Record<string, Json>).flatMap(
      ([name, member]): [string, unknown][] => [
        [`${path}.${name}`, member.description],
        ...membersOf(member, `${path}.${name}`),
      ],
    ),
    ...membersOf([anyOf, oneOf, items, additionalProperties], path),
  ];
}

test("every field and parameter of every operation is described", () => {
  const tables = [operations, sandbox].map((table) =>
    buildOpenApi({ origin: "", version: "1", operations: table, fields }),
  );
  const described = tables.flatMap((document) => {
    const { paths, components } = JSON.parse(JSON.stringify(document));
    const documented = Object.values<Json>(paths).flatMap((methods) => Object.values(methods));
    return [
      ...membersOf(components.schemas.Error, "Error"),
      ...documented.flatMap((row): [string, unknown][] => {
        const { operationId, parameters, requestBody, responses } = row as {
          operationId: string;
          parameters: Json[];
          requestBody?: { content: Record<string, { schema: Json }> };
          responses: Record<string, { content?: Record<string, { schema: Json }> }>;
        };
        const bodies = [requestBody?.content, responses[200]?.content].flatMap((content) =>
          Object.values(content ?? {}),
        );
        return [
          ...parameters.map(({ name, description }): [string, unknown] => [
            `${operationId}.${name}`,
            description,
          ]),
          ...bodies.flatMap(({ schema }) => membersOf(schema, operationId)),
        ];
      }),
    ];
  });
  expect(described.length).toBeGreaterThan(1_500);
  expect(described.filter(([, description]) => !description).map(([path]) => path)).toEqual([]);
});

test("no description is left over, and each is a sentence", () => {
  for (const [name, text] of Object.entries(fields)) {
    expect(text, name).toMatch(/^[A-Z`].*[.]$/s);
  }
});

test.each(rows)("%s has a recorded example that its row accepts", async (name, row) => {
  const example = recordedExamples[name];
  expect(example, "Run npm run docs:record.").toBeDefined();
  if (!example) return;
  const { args, request, answer } = example;
  expect(row.output.safeParse(answer).error?.issues).toBeUndefined();
  expect(args === undefined).toBe(WITHOUT_METHOD.includes(name));
  if (args) expect(await sends(name, row, args, request)).toBe(true);
});

test.each(entries)("$name is shown in three languages", (entry) => {
  const example = recordedExamples[entry.name];
  if (!example) throw new Error("There is no example.");
  const samples = exampleCode(entry, example);
  expect(samples.map(({ label }) => label)).toEqual(["cURL", "TypeScript", "Python"]);
  const [curl, typescript, python] = samples.map(({ code }) => code);
  for (const code of [curl, python]) expect(code).toContain(`/api/v1${example.request.path}`);
  const call = entry.call && example.args ? `${entry.call}(` : "/api/v1/";
  expect(typescript).toContain(entry.isSandboxOnly ? "/api/v1/" : call);
  // A refusal has its reason in the body, which Python's own error does not print.
  expect(python).toContain("except urllib.error.HTTPError as error:\n    print(json.load(error))");
  expect(`${curl}${python}`.includes("TURNPIKE_API_KEY")).toBe(entry.right !== undefined);
});

test("names no key, and no address of the machine that recorded", () => {
  const text = JSON.stringify(recordedExamples);
  const secrets = [...text.matchAll(/localhost[^"]*|whsec_[^"]*|svc-sandbox:[^"]*/g)];
  expect([...new Set(secrets.map(([found]) => found))]).toEqual([
    "svc-sandbox:eyJhbGciOiJFUzI1NksifQ.eyJzdWIi…",
    "whsec_dGhlIHNlY3JldCBvZiB0aGUgc2FtcGxl",
  ]);
});
