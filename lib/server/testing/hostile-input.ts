import type { Operation } from "@turnpike/payments/protocol";
import { allOperations, type OperationName } from "./operation-samples.ts";
import { TEST_ORIGIN, type TestParty, type TestService } from "./test-service.ts";

/** JSON text that `JSON.stringify` would never write, to be put in place of a value. */
export class RawJson {
  constructor(readonly text: string) {}
}

const deep = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;

/** Values that break readers, databases and arithmetic. None of them is a small positive count. */
export const HOSTILE_VALUES: readonly unknown[] = [
  true,
  false,
  0,
  -1,
  1.5,
  -0.1,
  Number.MIN_VALUE,
  1e21,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  new RawJson("1e400"),
  new RawJson("-1e400"),
  new RawJson(
    "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
  ),
  "",
  " ",
  "1e3",
  "0x10",
  " 5",
  "+5",
  "05",
  "-1",
  "1.0",
  "٣",
  "Infinity",
  "NaN",
  "null",
  "undefined",
  (2n ** 256n - 1n).toString(),
  (2n ** 256n).toString(),
  (10n ** 78n).toString(),
  `1${"0".repeat(1000)}`,
  "\0",
  "a\0b",
  "\ud800",
  "x\udfff",
  "\u202eevil\u202c",
  "\ufeff",
  "é".repeat(300),
  "long ".repeat(4000),
  "__proto__",
  "constructor",
  "toString",
  "../../etc/passwd",
  "' or 1=1; drop table accounts; --",
  "%00",
  "%",
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  "https://user:secret@host.example/",
  "0x0000000000000000000000000000000000000000",
  "0xde709f2102306220921060314715629080e2fb7G",
  "9999-12-31T23:59:59Z",
  "0000-01-01T00:00:00Z",
  "2026-02-30T00:00:00Z",
  [],
  [[]],
  [null],
  ["__proto__"],
  Array.from({ length: 1000 }, (_, index) => String(index)),
  {},
  { constructor: { prototype: { isOperator: true } } },
  new RawJson('{"__proto__":{"isOperator":true}}'),
  { toString: "no", valueOf: "no", hasOwnProperty: "no" },
  { length: 1_000_000_000 },
  new RawJson('{"toJSON":"no","then":"no"}'),
  new RawJson(deep(40)),
  new RawJson(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`),
];

const MARK = "@@raw-json:";

/** JSON of a value that may hold `RawJson`. */
export function hostileJson(value: unknown): string {
  const raw: string[] = [];
  const text = JSON.stringify(value, (_key, item) => {
    if (!(item instanceof RawJson)) return item;
    raw.push(item.text);
    return `${MARK}${raw.length - 1}`;
  });
  return text.replace(
    new RegExp(`"${MARK}(\\d+)"`, "g"),
    (_all, index) => raw[Number(index)] ?? "",
  );
}

export type Path = readonly (string | number)[];

/** The path of every member of a value, at every depth. */
export function pathsOf(value: unknown, prefix: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const path = [...prefix, Array.isArray(value) ? Number(key) : key];
    return [path, ...pathsOf(item, path)];
  });
}

const ABSENT = Symbol("absent");
/** Put in place of a member to leave it out. */
export const absent: unknown = ABSENT;

/** A copy of the value with the member at the path replaced, or left out. */
export function withMember(value: unknown, path: Path, member: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return member;
  const copy: Record<string | number, unknown> = (
    Array.isArray(value) ? [...value] : { ...(value as object) }
  ) as Record<string | number, unknown>;
  const next = withMember(copy[key], rest, member);
  if (next !== ABSENT) copy[key] = next;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}

/** Calls an operation as an HTTP client would: path members into the path, the rest into body or query. */
export function callOperation(
  service: TestService,
  party: TestParty | null,
  name: OperationName,
  input: Record<string, unknown>,
): Promise<Response> {
  const row: Operation = allOperations[name];
  const inPath = new Set<string>();
  const path = row.path.replace(/:([A-Za-z]+)/g, (_all, member: string) => {
    inPath.add(member);
    return encodeURIComponent(asText(input[member]));
  });
  const rest = Object.fromEntries(Object.entries(input).filter(([member]) => !inPath.has(member)));
  if (row.method === "POST" || row.method === "PUT") {
    return service.call(party, row.method, path, hostileJson(rest));
  }
  const query = Object.entries(rest)
    .map(([member, value]) => `${encodeURIComponent(member)}=${encodeURIComponent(asText(value))}`)
    .join("&");
  return service.fetch(`${TEST_ORIGIN}/api/v1${path}${query ? `?${query}` : ""}`, {
    method: row.method,
    headers: party ? { authorization: `Bearer ${party.apiKey}` } : {},
  });
}

/** A value as written in a path or a query, where half surrogates are impossible. */
export function asText(value: unknown): string {
  const text =
    value instanceof RawJson
      ? value.text
      : typeof value === "string"
        ? value
        : (hostileJson(value) ?? "");
  return text.toWellFormed().slice(0, 8000);
}
