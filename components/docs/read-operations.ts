import { buildOpenApi, type Operation, operations } from "@turnpike/payments/protocol";
import {
  type BodyForm,
  describeBody,
  type Field,
  type JsonSchema,
  typeOf,
} from "./describe-schema.ts";

/** One operation as the reference shows it. */
export type OperationEntry = {
  name: string;
  method: string;
  path: string;
  summary: string;
  isPublic: boolean;
  isSandboxOnly: boolean;
  parameters: (Field & { place: string })[];
  body: BodyForm[];
  answer: BodyForm[];
};

export type OperationGroup = { title: string; entries: OperationEntry[] };

const GROUPS: [title: string, prefixes: string[]][] = [
  ["Plans and orders", ["/protocol/plans", "/orders"]],
  ["Agents", ["/protocol/agents"]],
  ["Tokens, verify and settle", ["/x402"]],
  ["Delegations and cards", ["/delegation", "/payment-methods"]],
  ["Activity", ["/requests"]],
  ["API keys", ["/api-keys"]],
  ["Sandbox", ["/sandbox"]],
];

type Content = { content: Record<string, { schema: JsonSchema }> };
type Described = {
  parameters: { name: string; in: string; required: boolean; schema: JsonSchema }[];
  requestBody?: Content;
  responses: { 200: Content };
};

/** Every operation of the table by subject, with the fields its OpenAPI document names. */
export function readOperations(): OperationGroup[] {
  const { paths } = buildOpenApi({ origin: "", version: "" }) as {
    paths: Record<string, Record<string, Described>>;
  };
  const entries = Object.entries<Operation>(operations).map(([name, row]) => {
    const path = row.path.replace(/:(\w+)/g, "{$1}");
    const described = paths[path]?.[row.method.toLowerCase()];
    if (!described) throw new Error(`The OpenAPI document lacks ${row.method} ${path}.`);
    return readEntry(name, row, described);
  });
  const groups = GROUPS.map(([title, prefixes]) => ({
    title,
    entries: entries.filter(({ path }) => prefixes.some((prefix) => path.startsWith(prefix))),
  }));
  const missed = entries.filter((entry) => !groups.some((group) => group.entries.includes(entry)));
  return [...groups, { title: "More", entries: missed }].filter(
    (group) => group.entries.length > 0,
  );
}

function readEntry(name: string, row: Operation, described: Described): OperationEntry {
  const { method, path, summary, access, sandboxOnly = false } = row;
  const body = described.requestBody?.content["application/json"]?.schema;
  const answer = described.responses[200].content["application/json"]?.schema ?? {};
  return {
    name,
    method,
    path,
    summary,
    isPublic: access === "public",
    isSandboxOnly: sandboxOnly,
    parameters: described.parameters.map((each) => ({
      name: each.name,
      type: typeOf(each.schema),
      isRequired: each.required,
      depth: 0,
      place: each.in,
    })),
    body: body ? describeBody(bodyOf(name, body)) : [],
    answer: describeBody(answer),
  };
}

// Operations that share a path share a body in the document: one form each, in the table's order.
function bodyOf(name: string, body: JsonSchema): JsonSchema {
  if (!body.oneOf) return body;
  const { method, path } = operations[name as keyof typeof operations];
  const sharing = Object.entries<Operation>(operations).filter(
    ([, row]) => row.method === method && row.path === path,
  );
  return body.oneOf[sharing.findIndex(([each]) => each === name)] ?? body;
}
