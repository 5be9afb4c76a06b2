import { messageOf } from "../lib/server/watch/error-text.ts";

/** Ends a tool that fails with what went wrong alone, as the service does: a wrong setting needs no stack trace. */
export function failPlainly(status = 1): void {
  process.once("uncaughtException", (cause) => {
    console.error(messageOf(cause));
    process.exit(status);
  });
}
