import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { parse } from "yaml";
import type { Exchange } from "../../lib/adapters/cards/testing/record-exchanges.ts";
import { type FormValue, parseForm } from "../../lib/sandbox/card-processor/form-body.ts";

/**
 * Every request that the official SDK sends while the tests of cards and money run, and every answer of the embedded
 * processor, against Stripe's published OpenAPI: a file in `STRIPE_OPENAPI`, or else the latest on GitHub. Parameters
 * that the SDK declares and an older document does not know are counted apart.
 */
const SOURCE = "https://raw.githubusercontent.com/stripe/openapi/master/latest/openapi.spec3.json";
const ID = "https://stripe.com/openapi";
const TESTS = [
  "lib/adapters/cards",
  "lib/domain/money/refunds.test.ts",
  "lib/domain/money/disputes.test.ts",
];

type Schema = { [key: string]: unknown };
type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Content = { content?: Record<string, { schema: Schema }> };
type Operation = {
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Spec = {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: Schema;
};

const spec = await readSpec();
const document = JSON.parse(JSON.stringify({ components: spec.components }), reviveSchema);
// A form carries texts only: each is read as what the document wants in its place.
const forms = new Ajv({ strict: false, coerceTypes: true, allErrors: true, logger: false });
const answers = new Ajv({ strict: false, allErrors: true, logger: false });
for (const ajv of [forms, answers]) ajv.addSchema(document, ID);

const { exchanges, isGreen } = record();
const faults = new Map<string, number>();
const operations = new Set<string>();
const compiled = new Map<string, ValidateFunction>();
for (const exchange of exchanges) {
  const path = findPath(exchange);
  const operation = path && spec.paths[path]?.[exchange.method.toLowerCase()];
  if (!path || !operation) {
    note(`${exchange.method} ${exchange.path} is not in the document`);
    continue;
  }
  const name = `${exchange.method} ${path}`;
  operations.add(name);
  for (const fault of judge(name, operation, exchange)) note(`${name} ${fault}`);
}
const newer = [...faults.keys()].filter(isNewer);
for (const fault of newer) faults.delete(fault);
console.log(
  `stripe: ${exchanges.length} exchanges of ${operations.size} operations by the SDK of ${sdkVersion()} against the document of ${spec.info.version}: ${faults.size} faults, ${newer.length} parameters newer than the document`,
);
for (const fault of newer) console.log(`  newer: ${fault}`);
for (const [fault, times] of faults) console.log(`  ${times} x ${fault}`);
process.exitCode = isGreen && exchanges.length > 0 && faults.size === 0 ? 0 : 1;

async function readSpec(): Promise<Spec> {
  const given = process.env.STRIPE_OPENAPI;
  if (given) return parse(readFileSync(given, "utf8"), { maxAliasCount: -1 }) as Spec;
  const response = await fetch(SOURCE).catch(() => null);
  if (response?.ok) return (await response.json()) as Spec;
  throw new Error(
    `Stripe's OpenAPI cannot be read from ${SOURCE}. Save it and set STRIPE_OPENAPI to the file.`,
  );
}

/** OpenAPI 3.0 says `nullable` beside anything; JSON schema wants the type `null`. */
function reviveSchema(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { nullable, $ref, ...rest } = value as Schema;
  const schema =
    typeof $ref === "string" ? { $ref: $ref.replace(/^#/, `${ID}#`) } : (rest as Schema);
  return nullable === true ? { anyOf: [schema, { type: "null" }] } : schema;
}

/** What the tests made the SDK send; `STRIPE_RECORD` names exchanges that were recorded before. */
function record(): { exchanges: Exchange[]; isGreen: boolean } {
  const known = process.env.STRIPE_RECORD;
  const folder = mkdtempSync(join(tmpdir(), "stripe-exchanges-"));
  const file = known ?? join(folder, "exchanges.jsonl");
  try {
    const run = [process.execPath, "node_modules/vitest/vitest.mjs", "run", "--reporter=dot"];
    const [command = "", ...args] = [...run, ...TESTS];
    const isGreen =
      (known !== undefined && existsSync(known)) ||
      spawnSync(command, args, {
        stdio: ["ignore", "inherit", "inherit"],
        env: { ...process.env, STRIPE_RECORD: file },
      }).status === 0;
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    return { exchanges: lines.map((line) => JSON.parse(line) as Exchange), isGreen };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The document's path of a request; one without placeholders comes first. */
function findPath({ method, path }: Exchange): string | undefined {
  if (spec.paths[path]?.[method.toLowerCase()]) return path;
  const parts = path.split("/");
  return Object.keys(spec.paths).find((pattern) => {
    const steps = pattern.split("/");
    const fits = steps.every((step, at) => step.startsWith("{") || step === parts[at]);
    return fits && steps.length === parts.length && spec.paths[pattern]?.[method.toLowerCase()];
  });
}

function* judge(name: string, operation: Operation, exchange: Exchange): Generator<string> {
  const { status, method, form, answer } = exchange;
  // Tests send wrong requests on purpose; those that were refused as such do not count.
  if (status < 400 || status === 402) {
    const schema = method === "GET" ? queryOf(operation) : bodyOf(operation.requestBody);
    const sent = arraysOf(parseForm(form));
    for (const fault of faultsOf(forms, `${name} request`, { schema, value: sent })) {
      yield `request${fault}`;
    }
  }
  const schema = bodyOf(operation.responses[status] ?? operation.responses.default);
  const value = JSON.parse(answer);
  for (const fault of faultsOf(answers, `${name} ${status}`, { schema, value })) {
    yield `${status}${fault}`;
  }
}

function bodyOf(content: Content | undefined): Schema {
  const [body] = Object.values(content?.content ?? {});
  return body?.schema ?? { type: "object", maxProperties: 0 };
}

function queryOf({ parameters = [] }: Operation): Schema {
  const query = parameters.filter((parameter) => parameter.in === "query");
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Forms number the items of an array. */
function arraysOf(value: FormValue): unknown {
  if (typeof value === "string") return value;
  const entries = Object.entries(value);
  const isArray = entries.length > 0 && entries.every(([key], at) => key === String(at));
  if (isArray) return entries.map(([, item]) => arraysOf(item));
  return Object.fromEntries(entries.map(([key, item]) => [key, arraysOf(item)]));
}

function faultsOf(ajv: Ajv, name: string, of: { schema: Schema; value: unknown }): string[] {
  const known =
    compiled.get(name) ?? ajv.compile(JSON.parse(JSON.stringify(of.schema), reviveSchema));
  compiled.set(name, known);
  if (known(of.value)) return [];
  const said = (known.errors ?? []).map(({ instancePath, message, params }) => {
    const place = instancePath.replace(/\/\d+/g, "/*");
    const member = params.additionalProperty ?? params.missingProperty ?? "";
    return `${place}: ${message} ${member}`.trim();
  });
  return [...new Set(said)];
}

/** Whether the SDK, generated from a later document, declares a parameter that this one does not have. */
function isNewer(fault: string): boolean {
  const [, path = "", parameter = ""] =
    /^\w+ \/v1\/(\w+)\S* request: must NOT have additional properties (\w+)$/.exec(fault) ?? [];
  const resource = path.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());
  const file = `node_modules/stripe/esm/resources/${resource}.d.ts`;
  if (!parameter || !existsSync(file)) return false;
  const isOlder = spec.info.version.slice(0, 10) < sdkVersion();
  return isOlder && readFileSync(file, "utf8").includes(`    ${parameter}?: `);
}

/** The date of the API version that the SDK speaks. */
function sdkVersion(): string {
  const text = readFileSync("node_modules/stripe/esm/apiVersion.js", "utf8");
  return /'(\d{4}-\d\d-\d\d)/.exec(text)?.[1] ?? "";
}

function note(fault: string): void {
  faults.set(fault, (faults.get(fault) ?? 0) + 1);
}
