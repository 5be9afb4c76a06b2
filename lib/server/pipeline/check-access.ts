import "server-only";
import {
  hasRight,
  KEY_SCOPES,
  type KeyRight,
  type KeyRights,
  PaymentsError,
  rightName,
  rightOf,
} from "@turnpike/payments/protocol";
import { LRUCache } from "lru-cache";
import { requireFreshProof } from "@/lib/domain/accounts/fresh-proof.ts";
import { rightsOfKey } from "@/lib/domain/accounts/key-rights.ts";
import type { Context } from "@/lib/domain/context.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { atMost } from "./at-most.ts";
import type { Served, Work } from "./served-operations.ts";

const MAX_KEYS = 10_000;
const ACCESS: readonly string[] = ["public", "read", "write"] satisfies Work["access"][];
const SCOPES: readonly string[] = KEY_SCOPES;

type AccessCheck = (
  operation: Pick<Served, "name" | "row">,
  known: Pick<Context, "caller" | "keyHash">,
) => Promise<void>;

/**
 * Decides from an operation's row whether its caller may run it. Throws `forbidden` for a key without the row's right,
 * and `step_up_required` for someone signed in whose proof is older than the row allows.
 */
export function createAccessCheck(ports: Ports): AccessCheck {
  // Where the verb reads the caller, the key's rights are read once, also for many calls at once: they never change. The
  // verb refuses a key that is not valid any more, and decides what a stopped account is still answered.
  const rightsOf = new LRUCache<string, KeyRights>({
    ...atMost(MAX_KEYS),
    fetchMethod: async (keyHash) => {
      const key = await ports.apiKeys.find(keyHash);
      return key ? rightsOfKey(key) : undefined;
    },
  });

  return async ({ name, row }, { caller, keyHash }) => {
    const right = rightOf(row);
    if (caller?.keyId === null) {
      if (row.stepUp) requireFreshProof(caller);
    } else if (right && caller) {
      requireRight(name, right, caller.rights);
    } else if (right && keyHash !== null) {
      const rights = await rightsOf.fetch(keyHash);
      if (!rights) throw new PaymentsError("unauthorized", "The API key is unknown.");
      requireRight(name, right, rights);
    }
  };
}

/** Throws when an operation's row does not say what a key needs: such an operation is not served. */
export function requireClass(name: string, { access, scope }: Work): void {
  if (ACCESS.includes(access) && SCOPES.includes(scope)) return;
  throw new Error(
    `The row of ${name} needs an access and a scope, so that keys can be restricted.`,
  );
}

function requireRight(name: string, right: KeyRight, rights: KeyRights): void {
  if (hasRight(rights, right)) return;
  throw new PaymentsError(
    "forbidden",
    `${name} needs the scope ${rightName(right)}, which this API key does not have.`,
    { hint: `Use a key with ${rightName(right)}, or create one under API keys in the dashboard.` },
  );
}
