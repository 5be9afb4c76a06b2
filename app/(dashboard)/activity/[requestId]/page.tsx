import { EXACT, type RequestRecord } from "@turnpike/payments/protocol";
import { read, readOwnOrPublic, readPublic } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { PhaseStrip } from "@/components/activity/attempt/phase-strip.tsx";
import { LiveTrace } from "@/components/activity/live-trace.tsx";
import { MoneyCell } from "@/components/activity/request-cells.tsx";
import { QueryProvider } from "@/components/data/query-provider.tsx";
import { choiceLinks } from "@/components/list-query.ts";
import { RefundCall } from "@/components/refunds/refund-call.tsx";
import { RequestRefund } from "@/components/refunds/request-refund.tsx";
import type { Routed, Searched } from "@/components/search-params.ts";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { SegmentedLinks } from "@/components/ui/fields/segmented-control.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { Identifier } from "@/components/ui/values/identifier.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import { createRefund, requestRefund } from "../../balance/refund-actions.ts";
import { readNames } from "../read-names.ts";

export const metadata = { title: "Request" };

type Role = "builder" | "subscriber";
const SIDES = { builder: "Builder", subscriber: "Payer" };
type TracePageProps = Routed<"requestId"> & Searched<{ role?: string | string[] }>;

export default async function TracePage({ params, searchParams }: TracePageProps) {
  const agentRequestId = decodeURIComponent((await params).requestId);
  const { account } = await requireSession();
  const [record, known, asked] = await Promise.all([
    read("getRequest", { agentRequestId }),
    readNames(),
    searchParams,
  ]);
  const { payer, planId, agentId, method, path } = record;
  // The payer sees the subscriber's side; a request without a payer belongs to its builder.
  const isMine = payer === account.address;
  const isOwn = isMine && planId !== undefined && (await isOwnPlan(planId, account.address));
  const role = isMine && (!isOwn || asked.role === "subscriber") ? "subscriber" : "builder";
  const agent =
    agentId && !known.agents[agentId] ? await readPublic("getAgent", { agentId }) : null;
  const names = agent
    ? { ...known, agents: { ...known.agents, [agent.agentId]: agent.metadata.main.name } }
    : known;
  const here = `/activity/${encodeURIComponent(agentRequestId)}`;
  return (
    <>
      <PageHeader
        title={
          path ? (
            <span className="font-mono text-h2">{[method, path].filter(Boolean).join(" ")}</span>
          ) : (
            "Request"
          )
        }
        aside={<MoneyCell record={record} />}
        actions={
          isOwn ? (
            <SegmentedLinks
              label="View as"
              links={choiceLinks(SIDES, role, (side) => `${here}?role=${side}`)}
            />
          ) : undefined
        }
      >
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <TimeAgo at={record.at} form="full" />
          <Identifier value={agentRequestId} name="request ID" />
          <PhaseStrip record={record} />
        </span>
      </PageHeader>
      <QueryProvider>
        <LiveTrace record={record} role={role} names={names} />
      </QueryProvider>
      <CallRefund record={record} role={role} />
    </>
  );
}

type CallRefundProps = { record: RequestRecord; role: Role };

/** What either side can do to get a settled call's credits back. Credits that were burned on chain stay so. */
async function CallRefund({ record, role }: CallRefundProps) {
  const { agentRequestId, settlementId, scheme, credits } = record;
  if (!settlementId || scheme === "svc:erc4337" || credits === "0") return null;
  if (scheme === EXACT) return <PaymentRefund settlementId={settlementId} role={role} />;
  const { items: refunds } = await read("listRefunds", { role, agentRequestId, limit: 50 });
  const isRefunded = refunds.some(({ status }) => status === "paid");
  return (
    <div className="mt-6">
      {role === "subscriber" ? (
        <RequestRefund
          subject={{ agentRequestId }}
          refunds={refunds}
          requestRefund={requestRefund}
        />
      ) : isRefunded ? (
        <p className="text-ink-2">This call’s credits were refunded.</p>
      ) : (
        <RefundCall {...{ agentRequestId, credits, createRefund }} />
      )}
    </div>
  );
}

/** The same for a wallet's transfer, which paid for an order: its money goes back. */
async function PaymentRefund({ settlementId, role }: { settlementId: string; role: Role }) {
  const receipt = await readPublic("getReceipt", { settlementId });
  const paid = { orderId: receipt?.orderTx ?? "" };
  const invoice = paid.orderId && (await readOwnOrPublic("getInvoice", paid));
  if (!invoice) return null;
  const { orderId } = invoice;
  if (role === "builder") {
    return (
      <div className="mt-6">
        <ButtonLink href={`/balance/orders/${orderId}`}>Refund the payment</ButtonLink>
      </div>
    );
  }
  const [{ items: refunds }, refundable] = await Promise.all([
    read("listRefunds", { role, orderId, limit: 50 }),
    read("getRefundable", { orderId }),
  ]);
  return (
    <div className="mt-6">
      <RequestRefund
        subject={{ orderId }}
        refundable={refundable}
        refunds={refunds}
        requestRefund={requestRefund}
      />
    </div>
  );
}

async function isOwnPlan(planId: string, account: string): Promise<boolean> {
  const plan = await readPublic("getPlan", { planId });
  return plan?.owner === account;
}
