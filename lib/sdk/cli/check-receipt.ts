import { PaymentsError } from "../protocol/errors.ts";
import { readJson } from "../protocol/json.ts";
import {
  type CheckedStatement,
  checkStatement,
  findStatements,
} from "../protocol/offer-receipt/check-statement.ts";
import { SigningKey } from "../protocol/offer-receipt/signed.ts";
import type { StatementKind } from "../protocol/offer-receipt/statement.ts";
import type { Verb, VerbArguments, VerbContext } from "./verb.ts";

/** A requirement has at most 20 offers, and what came of a payment fewer receipts. */
const MAX_STATEMENTS = 20;

/** Checks what someone has kept of a payment, against keys they trust: never against a key inside of it. */
export const checkReceipt: Verb = {
  name: "check-receipt",
  summary: "Check signed receipts and offers against the service's published keys",
  positional: "receipt",
  inputs: {
    receipt: {
      type: "string",
      description:
        "A signed receipt or offer, a settlement, the JSON of `call`, a requirement, or a public receipt: as JSON, or as the header that carried it.",
    },
    keys: {
      type: "string",
      description: "The keys as a JWKS. Default: those the service publishes.",
    },
  },
  required: ["receipt"],
  isReadOnly: true,
  async run({ read }, { receipt, keys: given }) {
    const found = findStatements(receipt);
    if (found.length === 0) {
      return {
        json: { isValid: false },
        text: "No signed receipt found.",
        isRefused: true,
      };
    }
    if (found.length > MAX_STATEMENTS) {
      throw new PaymentsError(
        "invalid_input",
        `It has ${found.length} signed receipts and offers. Check at most ${MAX_STATEMENTS} at once.`,
      );
    }
    const keys = await readKeys(given, read);
    const checked: ({ kind: StatementKind } & CheckedStatement<StatementKind>)[] = [];
    for (const { kind, signed } of found) {
      checked.push({ kind, ...(await checkStatement(kind, signed, keys)) });
      // A signature takes many milliseconds of computing: other requests have their turn.
      await new Promise((done) => setTimeout(done, 0));
    }
    const isValid = checked.every((one) => one.isValid);
    const lines = checked.map((one) =>
      one.isValid
        ? `Valid ${one.kind}, signed with ${one.kid}. Only these fields are signed:\n${JSON.stringify(one.payload, null, 2)}`
        : `Not valid: ${one.reason}`,
    );
    return { json: { isValid, statements: checked }, text: lines.join("\n"), isRefused: !isValid };
  },
};

async function readKeys(given: VerbArguments[string], read: VerbContext["read"]) {
  const jwks = (
    given === undefined ? await read("/.well-known/jwks.json") : readJson(String(given))
  ) as { keys?: unknown } | null;
  const keys = (Array.isArray(jwks?.keys) ? jwks.keys : []).flatMap((key) => {
    const parsed = SigningKey.safeParse(key);
    return parsed.success ? [parsed.data] : [];
  });
  if (keys.length > 0) return keys;
  throw new PaymentsError("invalid_input", "There are no keys to check with: expected a JWKS.");
}
