import type { GrantToSign } from "@turnpike/payments/protocol";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { JsonTree } from "../ui/data/json-tree.tsx";
import { Address } from "../ui/values/address.tsx";
import { groupDigits, moneyText } from "../ui/values/money-text.ts";
import { PermissionSentence } from "../ui/values/permission-sentence.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";
import { chainName } from "./chain-name.ts";

const CENTS = 2;

/** What a wallet is about to sign, in words first, and the very data below. */
export function GrantTerms({ grant }: { grant: GrantToSign }) {
  const { terms, typedData, signBefore } = grant;
  const { spendingLimitCents, currency, planIds } = terms;
  const plans =
    planIds.length === 0
      ? "any plan you name"
      : planIds.length === 1
        ? "this plan"
        : `${planIds.length} plans`;
  return (
    <div className="grid gap-3">
      <div>
        <h2 id="grant-title" className="text-h2">
          What your wallet signs
        </h2>
        <p className="text-ink-2">
          It costs nothing and sends nothing. You can revoke it at any time.
        </p>
      </div>
      <PermissionSentence>
        Turnpike may order {plans} from your account for up to{" "}
        <b>{moneyText(spendingLimitCents, CENTS, currency)}</b> in total, until{" "}
        <b>{absoluteTime(new Date(terms.validUntil))}</b>, and use the credits. It can move nothing
        else.
      </PermissionSentence>
      <details className="rounded-card border border-line bg-surface px-4 py-2.5">
        <summary className="min-h-6 cursor-pointer text-label">Every line of it</summary>
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
              { term: "May", value: terms.permissions.map((may) => MAY[may]).join(", ") },
              { term: "Orders, smallest unit", value: groupDigits(terms.orderLimit) },
              { term: "Paid in", value: <Address value={terms.orderToken} name="token" /> },
              { term: "Calls on chain, at most", value: groupDigits(terms.redemptionLimit) },
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

const MAY = { order: "order the plan", burn: "use its credits" } as const;
