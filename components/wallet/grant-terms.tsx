import type { GrantToSign } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { JsonTree } from "../ui/data/json-tree.tsx";
import { Address } from "../ui/values/address.tsx";
import { groupDigits, moneyText } from "../ui/values/money-text.ts";
import { PermissionSentence } from "../ui/values/permission-sentence.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";
import { chainName } from "./chain-name.ts";

const CENTS = 2;

/** What a wallet is about to sign: a sentence, then the exact data. */
export function GrantTerms({ grant }: { grant: GrantToSign }) {
  const { terms, typedData, signBefore } = grant;
  const { spendingLimitCents, currency, planIds } = terms;
  const plans =
    planIds.length === 0
      ? "any plan you choose"
      : planIds.length === 1
        ? "this plan"
        : plural(planIds.length, "plan");
  return (
    <div className="grid gap-3">
      <div>
        <h2 id="grant-title" className="text-h2">
          What your wallet signs
        </h2>
        <p className="text-ink-2">
          Signing is free and sends nothing. You can revoke it at any time.
        </p>
      </div>
      <PermissionSentence>
        Turnpike may order {plans} from your account for up to{" "}
        <b>{moneyText(spendingLimitCents, CENTS, currency)}</b> in total, until{" "}
        <b>{absoluteTime(new Date(terms.validUntil))}</b>, and use the credits. It can’t move
        anything else.
      </PermissionSentence>
      <details className="rounded-card border border-line bg-surface px-4 py-2.5">
        <summary className="min-h-6 cursor-pointer text-label">All details</summary>
        <div className="mt-2 grid gap-3">
          <DefinitionList
            look="split"
            items={[
              { term: "Account", value: <Address value={terms.account} name="account" /> },
              { term: "Signed by", value: <Address value={grant.signer} name="signer" /> },
              {
                term: "Session key",
                value: <Address value={terms.sessionKeyAddress} name="session key" />,
              },
              {
                term: "Permissions",
                value: terms.permissions.map((name) => PERMISSIONS[name]).join(", "),
              },
              { term: "Order limit, smallest unit", value: groupDigits(terms.orderLimit) },
              { term: "Payment token", value: <Address value={terms.orderToken} name="token" /> },
              { term: "Maximum calls on chain", value: groupDigits(terms.redemptionLimit) },
              { term: "Network", value: chainName(typedData.domain.chainId) },
              { term: "Sign before", value: absoluteTime(new Date(signBefore)) },
            ]}
          />
          <JsonTree value={typedData} label="Typed data" openLevels={1} />
        </div>
      </details>
    </div>
  );
}

const PERMISSIONS = { order: "order the plan", burn: "use its credits" } as const;
