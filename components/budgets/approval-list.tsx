import type { Approval } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import { Card } from "../ui/card.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { Address } from "../ui/values/address.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";
import { ApprovalButtons, type DecideActions } from "./approval-buttons.tsx";
import { APPROVAL_STATES, costText, REASONS } from "./budget-text.ts";

const BY = {
  person: "a signed-in person",
  link: "the link in the notice",
  key: "an API key",
} as const;

type ApprovalCardProps = {
  approval: Approval;
  actions: DecideActions;
  /** In a list, it leads to its own page. */
  isLinked?: boolean;
};

/** A request that waits or was decided: what it is for, who asks, what it costs, and the buttons while it waits. */
export function ApprovalCard({ approval, actions, isLinked = false }: ApprovalCardProps) {
  const { builder, history, tokenId, decidedAt, decidedBy, decidedKey } = approval;
  const decider =
    decidedBy === "key" && decidedKey ? `key ${decidedKey}` : decidedBy && BY[decidedBy];
  return (
    <Card className="grid gap-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="grid gap-1">
          <h2 className="wrap-anywhere font-medium">
            {approval.call ? "Pay for a call with" : "Order"} {approval.planName} for{" "}
            {costText(approval)}?
          </h2>
          <p className="text-ink-2 text-note">
            Since {absoluteTime(new Date(approval.createdAt))}
            {approval.status === "pending" &&
              `, expires ${absoluteTime(new Date(approval.expiresAt))}`}
          </p>
        </div>
        <StatePill state={APPROVAL_STATES[approval.status]} />
      </div>
      <DefinitionList
        items={{
          Reason: REASONS[approval.reason],
          Builder: <Address value={builder} name="builder" />,
          "History with this builder": `${plural(history.orders, "order")}, ${history.approved} approved, ${history.declined} declined`,
          Call: approval.call,
          Source: !approval.call && "Order from an API key",
          "Asked by": tokenId && `Token ${shortenIdentifier(tokenId)}`,
          Decided: decidedAt && `${absoluteTime(new Date(decidedAt))}, by ${decider}`,
        }}
      />
      {approval.status === "pending" && (
        <>
          <p className="text-ink-2 text-note">
            If you approve, the {approval.call ? "call" : "order"} goes through once
            {approval.call && ", until the access token that sent it expires,"} and costs at most{" "}
            {costText(approval)}. If you decline, nothing is charged and the caller gets 402.
          </p>
          <ApprovalButtons approval={approval} actions={actions} />
        </>
      )}
      {isLinked && (
        <NearLink href={`/approvals/${approval.approvalId}`} className="link text-note">
          Open this request
        </NearLink>
      )}
    </Card>
  );
}
