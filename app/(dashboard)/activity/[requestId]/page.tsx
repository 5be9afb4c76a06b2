import { PaymentsError } from "@turnpike/payments/protocol";
import { notFound } from "next/navigation";
import { read, readPublic } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { LiveTrace } from "@/components/activity/live-trace.tsx";
import { QueryProvider } from "@/components/data/query-provider.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { TimeAgo } from "@/components/ui/values/time-ago.tsx";
import { readNames } from "../read-names.ts";

export const metadata = { title: "Request" };

type TracePageProps = { params: Promise<{ requestId: string }> };

export default async function TracePage({ params }: TracePageProps) {
  const agentRequestId = decodeURIComponent((await params).requestId);
  const { account } = await requireSession();
  const [record, known] = await Promise.all([readRequest(agentRequestId), readNames()]);
  const { payer, planId, agentId, method, path } = record;
  // The payer sees the subscriber's side; a request without a payer belongs to its builder.
  const isMine = payer === account.address;
  const role =
    isMine && !(planId && (await isOwn(planId, account.address))) ? "subscriber" : "builder";
  const agent =
    agentId && !known.agents[agentId] ? await readPublic("getAgent", { agentId }) : null;
  const names = agent
    ? { ...known, agents: { ...known.agents, [agent.agentId]: agent.metadata.main.name } }
    : known;
  return (
    <>
      <PageHeader
        title={path ? <span className="font-mono text-h2">{`${method} ${path}`}</span> : "Request"}
        actions={
          (record.moneyStatus === "delivered-unsettled" || record.moneyStatus === "unknown") &&
          role === "builder" ? (
            <ButtonLink href="/activity/reconcile" look="primary">
              Reconcile
            </ButtonLink>
          ) : undefined
        }
      >
        <TimeAgo at={record.at} form="full" />
      </PageHeader>
      <QueryProvider>
        <LiveTrace record={record} role={role} names={names} />
      </QueryProvider>
    </>
  );
}

/** A malformed id is a page that does not exist, not an error. */
async function readRequest(agentRequestId: string) {
  try {
    return await read("getRequest", { agentRequestId });
  } catch (cause) {
    if (PaymentsError.is(cause) && cause.code === "invalid_input") notFound();
    throw cause;
  }
}

async function isOwn(planId: string, account: string): Promise<boolean> {
  const plan = await readPublic("getPlan", { planId });
  return plan?.owner === account;
}
