import type * as z from "zod/mini";
import type { Examples } from "./examples.ts";

/** Who an operation is for: anyone, this service's dashboard, or users of a sandbox. */
export type Audience = "protocol" | "console" | "sandbox";

/** Which calls share a rate limit. A paid call in progress never waits for other calls of the same key. */
export type RateLane = "api" | "verify" | "settle";

/**
 * What a caller gets who gives another account's ids: the same as everyone, `not found`, a refusal, or only
 * their own rows. `no ids`: the input names nothing.
 */
export type Tenancy = "everyone" | "not found" | "refused" | "own rows" | "no ids";

/** One operation. The API serves it, the client calls it, OpenAPI and the docs describe it, and the domain has its verb. */
export type Operation = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v1`. `:name` segments are members of the input. */
  path: string;
  summary: string;
  audience: Audience;
  /** The client's member that has the method: `plans` for `payments.plans.getPlan`. */
  group: string;
  /** The heading in the API reference. */
  section: string;
  /** `public`: no API key is needed. */
  access: "public" | "key";
  /** `verb`: the verb reads the caller together with its other facts, in one round trip to the database. */
  callerReadBy: "pipeline" | "verb";
  lane: RateLane;
  tenancy: Tenancy;
  /** How long a client waits for one attempt. */
  timeoutMs: number;
  /** The largest input, in characters. */
  maxInput: number;
  /** A repeat has the effect of one call, so a client may retry. */
  repeatable: boolean;
  /** The input's member that makes a repeat safe where `repeatable` is false. */
  repeatKey?: string;
  /** The client adds a new `repeatKey` with this prefix when the caller gives none. */
  repeatKeyPrefix?: string;
  /** Members that tell this operation from another one with the same method and path. */
  when?: Record<string, string>;
  /** The trace span of each call, and the prefix of its attributes. */
  span?: { name: string; prefix: string };
  /** The input of a client method called with positional arguments; without it the method takes the input. */
  args?: (...args: never[]) => object;
  /** A valid input in JSON. Without it: the members of the path. */
  sample: (examples: Examples) => Record<string, unknown>;
  input: z.ZodMiniType;
  output: z.ZodMiniType;
};

export type Operations = Record<string, Operation>;

/** An operation as written: everything else has a default. */
type Row = Pick<Operation, "method" | "path" | "summary" | "input" | "output"> & Partial<Operation>;

type Group = { name: string; section: string; audience?: Audience };

/** Rows with their defaults. Named, and mapped without a rename, so that editors show each row's comment. */
export type OperationTable<Rows> = {
  [K in keyof Rows]: Rows[K] & Omit<Operation, keyof Rows[K]>;
};

const TIMEOUT_MS = 30_000;
const MAX_INPUT = 256 * 1024;

/**
 * The operations of one client group, with their defaults filled in: an API key, the `api` rate lane, 30 s,
 * repeatable unless it is a POST, and other accounts' objects are not found.
 */
export function defineOperations<const Rows extends Record<string, Row>>(
  { name, section, audience = "protocol" }: Group,
  rows: Rows,
): OperationTable<Rows> {
  const complete = Object.entries<Row>(rows).map(([key, row]): [string, Operation] => [
    key,
    {
      audience,
      group: name,
      section,
      access: "key",
      callerReadBy: "pipeline",
      lane: "api",
      tenancy: tenancyOf(row),
      timeoutMs: TIMEOUT_MS,
      maxInput: MAX_INPUT,
      repeatable: row.method !== "POST",
      sample: (examples) => pathSample(row.path, examples),
      ...row,
    },
  ]);
  return Object.fromEntries(complete) as OperationTable<Rows>;
}

function tenancyOf({ access, path, method }: Row): Tenancy {
  if (access === "public") return "everyone";
  if (path.includes("/:")) return "not found";
  return method === "GET" ? "own rows" : "no ids";
}

/** The names of a path's `:name` segments. */
export const pathMembers = (path: string): string[] =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name as string);

function pathSample(path: string, examples: Examples): Record<string, unknown> {
  const values: Record<string, unknown> = { ...examples.spare, ...examples };
  return Object.fromEntries(pathMembers(path).map((name) => [name, values[name]]));
}
