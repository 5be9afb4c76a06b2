import type { OutputOf, ParsedInputOf, ProtocolOperations } from "@turnpike/payments/protocol";
import type { ConsoleOperations } from "@/lib/console/operations.ts";
import type { Context } from "./context.ts";

type Rows = ProtocolOperations & ConsoleOperations;

/** What does an operation: its types are those of the operation's row. */
export type Verb<K extends keyof Rows> = (
  context: Context,
  input: ParsedInputOf<K, Rows>,
) => Promise<OutputOf<K, Rows>>;
