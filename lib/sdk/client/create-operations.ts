import type * as z from "zod/mini";
import type { Call, Calls } from "../protocol/operations/operation.ts";
import { callOperation } from "./call.ts";
import type { Connection } from "./connection.ts";
import { randomId } from "./random-id.ts";

type Input<Row extends Call> = z.input<Row["input"]>;

type Arguments<Row extends Call> = Row extends { args: (...args: infer Args) => object }
  ? Args
  : keyof Input<Row> extends never
    ? []
    : Record<never, never> extends Input<Row>
      ? [input?: Input<Row>]
      : [input: Input<Row>];

/** One method per operation, under its name. */
export type OperationMethods<Rows extends Calls> = {
  [K in keyof Rows]: (...args: Arguments<Rows[K]>) => Promise<z.output<Rows[K]["output"]>>;
};

/**
 * The client methods of a table of operations.
 *
 * @example await createOperations(payments.connection, operations).getPlan(planId)
 */
export function createOperations<Rows extends Calls>(
  connection: Connection,
  rows: Rows,
): OperationMethods<Rows> {
  const methods = Object.entries(rows).map(([name, row]) => {
    const method = (...args: never[]) => {
      const input = row.args ? row.args(...args) : (args[0] ?? {});
      return callOperation(connection, { name, row }, withRepeatKey(row, input));
    };
    return [name, method];
  });
  return Object.fromEntries(methods);
}

/** The input with a new repeat key, where the operation has one and the caller gave none. */
export function withRepeatKey<T extends object>({ repeatKey, repeatKeyPrefix }: Call, input: T): T {
  if (!repeatKey || !repeatKeyPrefix) return input;
  const given = (input as Record<string, unknown>)[repeatKey];
  return { ...input, [repeatKey]: given ?? randomId(repeatKeyPrefix) };
}
