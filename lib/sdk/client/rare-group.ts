import type { rareCalls } from "../protocol/operations/rare-calls.ts";
import type { Connection } from "./connection.ts";
import { createOperations, type OperationMethods } from "./create-operations.ts";

/** The groups of operations that few callers use. */
export type RareCalls = typeof rareCalls;

let rare: typeof import("./rare.ts").rare | undefined;

/** What few callers use, loaded at the first call of it: an import is a look-up each time, so its value is kept. */
export const loadRare = async () => (rare ??= (await import("./rare.ts")).rare);

/**
 * A group's methods: its `own`, and for every other name the rare operation of that name, whose table is loaded at the
 * first call, so that a bundle's entry carries neither schemas nor names.
 */
export const rareGroup = <Group extends keyof RareCalls, Own extends object = object>(
  connection: Connection,
  group: Group,
  own = {} as Own,
) => {
  let rows: Record<string, (...args: never[]) => unknown> | undefined;
  return new Proxy(own, {
    get(known, name) {
      const method = Reflect.get(known, name);
      if (method || NEVER.test(String(name))) return method;
      return async (...args: never[]) => {
        rows ??= createOperations(connection, (await loadRare()).calls[group]);
        const call = rows[String(name)];
        if (!call) throw new TypeError(`There is no ${group}.${String(name)}.`);
        return call(...args);
      };
    },
  }) as Own & OperationMethods<RareCalls[Group]>;
};

/** What JavaScript itself asks an object for, when it is awaited, printed or compared. */
export const NEVER = /^(then|toJSON|constructor|Symbol.*)$/;
