/** What drizzle's message ends with: the values of the statement, among them keys, tokens and texts of users. */
const VALUES = /\nparams: [\s\S]*$/;

/** A text without the values of a statement. */
export const withoutValues = (text: string): string => text.replace(VALUES, "");

/** What an error says. */
export const messageOf = (cause: unknown): string =>
  withoutValues(cause instanceof Error ? cause.message : String(cause));

/** An error in a line. Drizzle's own names the statement alone, so the database's error follows. */
export function describeCause(cause: unknown): string {
  const text = withoutValues(String(cause));
  const inner = cause instanceof Error && "params" in cause ? cause.cause : undefined;
  return inner ? `${text}\ncause: ${describeCause(inner)}` : text;
}

/** An error with its stack and with what caused it. */
export function explainCause(cause: unknown): string {
  if (!(cause instanceof Error)) return withoutValues(String(cause));
  const { message, stack = String(cause) } = cause;
  // The stack begins with the message.
  const text = stack.replace(message, () => withoutValues(message));
  return cause.cause ? `${text}\ncause: ${explainCause(cause.cause)}` : text;
}
