import {
  buildOpenApi,
  ERRORS,
  type ErrorCode,
  type Operation,
  type Operations,
  rightName,
  rightOf,
} from "@turnpike/payments/protocol";
import fields from "@/lib/text/field-descriptions.json" with { type: "json" };
import {
  type BodyForm,
  describeBody,
  type Field,
  type JsonSchema,
  typeOf,
} from "./describe-schema.ts";

export type OperationEntry = {
  name: string;
  method: string;
  path: string;
  summary: string;
  /** The right its key needs; none for public operations. */
  right?: string;
  /** The client's method: `payments.plans.getPlan`. */
  call?: string;
  repeat: string;
  isSandboxOnly: boolean;
  parameters: (Field & { place: string })[];
  body: BodyForm[];
  answer: BodyForm[];
  codes: ErrorCode[];
};

export type OperationGroup = { title: string; entries: OperationEntry[] };

type Content = { content: Record<string, { schema: JsonSchema }> };
type Described = {
  parameters: {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: JsonSchema;
  }[];
  requestBody?: Content;
  responses: { 200: Content } & Record<string, object>;
};

/** Operations by section, with the fields that their OpenAPI documents name. */
export function readOperations(operations: Operations): OperationGroup[] {
  const { paths } = buildOpenApi({ origin: "", version: "", operations, fields }) as {
    paths: Record<string, Record<string, Described>>;
  };
  const groups = new Map<string, OperationEntry[]>();
  for (const [name, row] of Object.entries(operations)) {
    const described = paths[row.path.replace(/:(\w+)/g, "{$1}")]?.[row.method.toLowerCase()];
    if (!described) throw new Error(`The OpenAPI document lacks ${row.method} ${row.path}.`);
    const body = bodyOf(described, name, operations);
    const entry = readEntry(name, row, { ...described, body });
    groups.set(row.section, [...(groups.get(row.section) ?? []), entry]);
  }
  return Array.from(groups, ([title, entries]) => ({ title, entries }));
}

function readEntry(
  name: string,
  row: Operation,
  { parameters, body, responses }: Described & { body: JsonSchema | undefined },
): OperationEntry {
  const { method, path, summary, audience } = row;
  const right = rightOf(row);
  return {
    name,
    method,
    path,
    summary,
    ...(right && { right: rightName(right) }),
    ...(audience === "protocol" && { call: `payments.${row.group}.${name}` }),
    repeat: repeatOf(row),
    isSandboxOnly: audience === "sandbox",
    parameters: parameters.map((each) => ({
      name: each.name,
      type: typeOf(each.schema),
      isRequired: each.required,
      depth: 0,
      place: each.in,
      ...(each.description && { description: each.description }),
    })),
    body: body ? describeBody(body) : [],
    answer: describeBody(responses[200].content["application/json"]?.schema ?? {}),
    codes: codesOf(name, Object.keys(responses)),
  };
}

function repeatOf({ repeatable, repeatKey }: Operation): string {
  if (repeatable) return "Idempotent";
  return repeatKey ? `Idempotent with the same ${repeatKey}` : "Not idempotent";
}

/** Verify and settle answer these as values too. */
const JUDGED = ["verifyPermissions", "settlePermissions"];

function codesOf(name: string, statuses: readonly string[]): ErrorCode[] {
  const codes = Object.entries(ERRORS) as [ErrorCode, { status: number }][];
  return codes.flatMap(([code, { status }]) => {
    const isJudged = status === 402 && code !== "payment_refused";
    if (isJudged) return JUDGED.includes(name) ? [code] : [];
    return status >= 500 || statuses.includes(String(status)) ? [code] : [];
  });
}

// Operations with one method and path share a body in the document: one form each, in the table's order.
function bodyOf(
  { requestBody }: Described,
  name: string,
  operations: Operations,
): JsonSchema | undefined {
  const body = requestBody?.content["application/json"]?.schema;
  const { method, path } = operations[name] ?? {};
  const sharing = Object.entries(operations).filter(
    ([, row]) => row.method === method && row.path === path,
  );
  if (sharing.length === 1) return body;
  return body?.anyOf?.[sharing.findIndex(([each]) => each === name)] ?? body;
}
