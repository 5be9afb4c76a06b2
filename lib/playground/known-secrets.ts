import { decodeBase64 } from "@turnpike/payments/protocol";
import type { Exchange, HeaderLine } from "./exchange.ts";
import { isRemoved, isSecretHeader } from "./redact.ts";
import type { StepResult } from "./run.ts";
import { mapTexts } from "./scrub-text.ts";

/** As the other removed parts, so that it is not sent again. */
const REMOVED = "[secret-removed]";
/** Shorter text is found in any response by chance. */
const MIN_LENGTH = 4;

type Kept = Pick<StepResult, "values" | "facts"> & { exchange: Exchange | null };

/**
 * Removes the secrets that a request carries in its headers from what is kept of its response: agents echo requests. The
 * request itself stays, to be continued; what is kept and shared of it is redacted by its headers' names.
 */
export function hideSecrets(kept: Kept, headers: readonly HeaderLine[]): Kept {
  const secrets = secretsIn(headers);
  if (secrets.length === 0) return kept;
  const { values, facts, exchange } = kept;
  const remove = (text: string) =>
    secrets.reduce((left, secret) => left.replaceAll(secret, REMOVED), text);
  const hide = <T>(value: T): T => mapTexts(value, remove);
  return {
    values: hide(values),
    facts: hide(facts),
    exchange: exchange && {
      ...exchange,
      answer: hide(exchange.answer),
      failure: hide(exchange.failure),
    },
  };
}

/** Secret values, what follows the scheme of a login, and its password, each also as JSON writes it; longest first. */
function secretsIn(headers: readonly HeaderLine[]): string[] {
  const values = headers
    .filter(([name, value]) => isSecretHeader(name) && !isRemoved(value))
    .flatMap(([, value]) => {
      const credentials = value.replace(/^\S+\s+/, "");
      const login = /^basic\s/i.test(value) ? decodeBase64(credentials) : null;
      const password = login?.slice(login.indexOf(":") + 1);
      return [value, credentials, login ?? "", password ?? ""];
    })
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .filter(({ length }) => length >= MIN_LENGTH);
  return [...new Set(values)].toSorted((a, b) => b.length - a.length);
}
