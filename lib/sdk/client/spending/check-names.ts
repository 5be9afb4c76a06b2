import { PaymentsError } from "../../protocol/errors.ts";

/** Throws for a member under a name that nothing reads, which would be ignored without a word, and for what has no members. */
export function checkNames(what: string, given: object, names: readonly string[]): void {
  const isNamed = Object(given) === given && !Array.isArray(given);
  const wrong = isNamed
    ? Object.entries(given).find(([name, value]) => value != null && !names.includes(name))?.[0]
    : "";
  if (wrong === undefined) return;
  const startOf = (name: string) => name.slice(0, 4).toLowerCase();
  const near = names.find((name) => startOf(name) === startOf(wrong));
  const hint = near ? `Did you mean \`${near}\`?` : `Use ${names.join(", ")}.`;
  throw new PaymentsError("invalid_input", `${what}: \`${wrong}\` is not known. ${hint}`);
}
