import type { rareCalls } from "../protocol/operations/rare-calls.ts";
import type { Connection } from "./connection.ts";
import { loadOperations } from "./create-operations.ts";

/** The groups of operations that few callers use. */
export type RareCalls = typeof rareCalls;

/** What few callers use, loaded at the first call of it. */
export const loadRare = async () => (await import("./rare.ts")).rare;

/** A group of operations that is loaded at its first call. */
export const rareGroup = <Group extends keyof RareCalls>(
  connection: Connection,
  group: Group,
  names: { [K in keyof RareCalls[Group]]: 0 },
) => loadOperations(connection, names, async () => (await loadRare()).calls[group]);
