import type { Operation, Operations, ProtocolOperations } from "@turnpike/payments/protocol";
import { operations } from "@turnpike/payments/protocol";
import * as z from "zod/mini";
import { type ConsoleOperations, consoleOperations } from "@/lib/console/operations.ts";
import type { Context } from "@/lib/domain/context.ts";
import { type Verbs, verbs } from "@/lib/domain/verbs.ts";
import type { SandboxOperations } from "@/lib/sandbox/operations.ts";

/** Every operation a service may serve; outside the sandbox its own ones are not found. */
export type ServiceOperations = ProtocolOperations & ConsoleOperations & SandboxOperations;

/** What the pipeline needs to know of an operation, or of other work that a page starts. */
export type Work = Pick<
  Operation,
  "access" | "scope" | "stepUp" | "callerReadBy" | "maxInput" | "input" | "span"
> & {
  lane: Operation["lane"] | "outbound";
  audience?: Operation["audience"];
  /** How many requests one run of public outbound work counts as. */
  visitorPoints?: number;
} & Partial<Pick<Operation, "method" | "cacheSecs" | "ownerSeesMore">>;

export type Served<Row extends Work = Work> = {
  name: string;
  row: Row;
  verb: (context: Context, input: unknown) => Promise<unknown>;
};
export type ServedOperation = Served<Operation>;

export const serveOperations = <Rows extends Operations>(
  rows: Rows,
  verbsOfRows: Verbs<Rows>,
): ServedOperation[] =>
  Object.entries(rows).map(([name, row]) => ({
    name,
    // Compiled, the input of a paid call is read in a twentieth of the time. Compiling all would delay the start by tenths of a second.
    row: row.lane === "api" ? row : { ...row, input: z.compile(row.input) },
    verb: verbsOfRows[name] as ServedOperation["verb"],
  }));

export const servedOperations: readonly ServedOperation[] = [
  ...serveOperations(operations, verbs),
  ...serveOperations(consoleOperations, verbs),
];
