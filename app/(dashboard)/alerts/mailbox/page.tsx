import { notFound } from "next/navigation";
import { read } from "@/app/_session/operations.ts";
import { MailList } from "@/components/alerts/mail-list.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { getRunning } from "@/lib/server/running.ts";

export const metadata = { title: "Mailbox" };

/** The sandbox keeps the mail that live would send. */
export default async function MailboxPage() {
  const { env } = await getRunning();
  if (env.environment !== "sandbox") notFound();
  const [{ items }, { address, unconfirmed }] = await Promise.all([
    read("listMails", {}),
    read("getEmailAddress", {}),
  ]);
  const own = items.filter(({ to }) => to === address || to === unconfirmed);
  return (
    <>
      <PageHeader title="Mailbox">Email that Turnpike would have sent you in live.</PageHeader>
      {own.length === 0 ? (
        <NothingYet title="No email yet" action="Open alerts" href="/alerts">
          Email appears here once you add an address and turn on email for a rule.
        </NothingYet>
      ) : (
        <MailList mails={own} />
      )}
    </>
  );
}
