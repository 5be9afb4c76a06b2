import type * as z from "zod/mini";
import type { KeyRight, KeyScope } from "../key-rights.ts";
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

/** How an operation is called: all that a client carries of it. */
export type Call = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v1`. `:name` segments are members of the input. */
  path: string;
  /** How long a client waits for one attempt. */
  timeoutMs: number;
  /** A repeat has the effect of one call, so a client may retry. */
  repeatable: boolean;
  /** The input's member that makes a repeat safe where `repeatable` is false. */
  repeatKey?: string;
  /** The client adds a new `repeatKey` with this prefix when the caller gives none. */
  repeatKeyPrefix?: string;
  /** Members that tell this operation from another one with the same method and path. */
  when?: Record<string, string>;
  /** The input of a client method called with positional arguments; without it the method takes the input. */
  args?: (...args: never[]) => object;
  input: z.ZodMiniType;
  output: z.ZodMiniType;
};

/** Operations by their names, as clients call them. */
export type Calls = Record<string, Call>;

/** What the service, the API reference and the tests know of an operation beside how it is called. */
type Service = {
  summary: string;
  /** Where clients of earlier releases call it; served, and in no document. */
  formerPath?: string;
  audience: Audience;
  /** The client's member that has the method: `plans` for `payments.plans.getPlan`. */
  group: string;
  /** The heading in the API reference. */
  section: string;
  /** `public`: no API key is needed. `read` and `write`: what a key needs in the row's `scope`. */
  access: "public" | "read" | "write";
  /** The group of operations that a key is given rights to. */
  scope: KeyScope;
  /** Someone signed in must have proven who they are within the last minutes. */
  stepUp: boolean;
  /** `verb`: the verb reads the caller together with its other facts, in one round trip to the database. */
  callerReadBy: "pipeline" | "verb";
  lane: RateLane;
  tenancy: Tenancy;
  /** The largest input, in characters. */
  maxInput: number;
  /** The most members and items of an input: each costs time, however short it is. */
  maxMembers?: number;
  /** A public read whose answer is the same for everyone, and may be this many seconds old. */
  cacheSecs?: number;
  /** A public read that shows an owner more: an API key is read where one is sent, and its answer is not kept. */
  ownerSeesMore?: true;
  /** Answers a file, written while it is read, in the format that the input names; JSON by default. */
  isStreamed?: true;
  /** The trace span of each call, and the prefix of its attributes. */
  span?: { name: string; prefix: string };
  /** A valid input in JSON. Without it: the members of the path. */
  sample: (examples: Examples) => Record<string, unknown>;
};

/** One operation. The API serves it, the client calls it, OpenAPI and the docs describe it, and the domain has its verb. */
export type Operation = Call & Service;

/** Operations by their names, with what the service knows of them. */
export type Operations = Record<string, Operation>;

/** The parts of an operation as written: everything else has a default. */
type CallRow = { route: `${Call["method"]} /${string}` } & Pick<Call, "input" | "output"> &
  Partial<Omit<Call, "method" | "path">>;
type ServiceRow = Pick<Service, "summary"> & Partial<Service>;

type Group = { name: string; section: string; scope: KeyScope; audience?: Audience };

/** Rows with their defaults. Named, and mapped without a rename, so that editors show each row's comment. */
export type CallTable<Rows> = { [K in keyof Rows]: Rows[K] & Omit<Call, keyof Rows[K]> };
/** The same with what the service knows of each. */
export type OperationTable<Rows> = {
  [K in keyof Rows]: Rows[K] & Omit<Operation, keyof Rows[K]>;
};

const TIMEOUT_MS = 30_000;
const MAX_INPUT = 256 * 1024;

/** How the operations of one client group are called, with the defaults: 30 s, repeatable unless it is a POST. */
export function defineCalls<const Rows extends Record<string, CallRow>>(
  rows: Rows,
): CallTable<Rows> {
  const complete = Object.entries<CallRow>(rows).map(([name, row]) => {
    const [method, path] = row.route.split(" ");
    return [name, { method, path, timeoutMs: TIMEOUT_MS, repeatable: method !== "POST", ...row }];
  });
  return Object.fromEntries(complete) as CallTable<Rows>;
}

/**
 * The operations of one group, calls and service in one row, with the defaults filled in: an API key that may read, or
 * write unless it is a GET; the `api` rate lane, and other accounts' objects are not found.
 */
export function defineOperations<const Rows extends Record<string, CallRow & ServiceRow>>(
  group: Group,
  rows: Rows,
): OperationTable<Rows> {
  return serveCalls(group, defineCalls(rows) as unknown as Calls, rows) as OperationTable<Rows>;
}

/** The same for calls that are written apart, so that a bundle of the client leaves the rest out. */
export function serveCalls<
  Rows extends Calls,
  const Services extends { [K in keyof Rows]: ServiceRow },
>(
  { name: group, section, scope, audience = "protocol" }: Group,
  calls: Rows,
  services: Services,
): OperationTable<{ [K in keyof Rows]: Rows[K] & Services[K] }> {
  const complete = Object.entries<Call>(calls).map(([name, call]): [string, Operation] => {
    const service = services[name] as ServiceRow;
    return [
      name,
      {
        audience,
        group,
        section,
        access: call.method === "GET" ? "read" : "write",
        scope,
        stepUp: false,
        callerReadBy: "pipeline",
        lane: "api",
        tenancy: tenancyOf(call, service),
        maxInput: MAX_INPUT,
        sample: (examples) => pathSample(call.path, examples),
        ...call,
        ...service,
      },
    ];
  });
  return Object.fromEntries(complete) as never;
}

function tenancyOf({ path, method }: Call, { access }: ServiceRow): Tenancy {
  if (access === "public") return "everyone";
  if (path.includes("/:")) return "not found";
  return method === "GET" ? "own rows" : "no ids";
}

/** The right that a key needs for an operation; null for a public one. */
export const rightOf = ({ scope, access }: Pick<Operation, "scope" | "access">): KeyRight | null =>
  access === "public" ? null : { scope, level: access };

/** The names of a path's `:name` segments. */
export const pathMembers = (path: string): string[] =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name as string);

function pathSample(path: string, examples: Examples): Record<string, unknown> {
  const values: Record<string, unknown> = { ...examples.spare, ...examples };
  return Object.fromEntries(pathMembers(path).map((name) => [name, values[name]]));
}
