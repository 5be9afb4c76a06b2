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
      <PageHeader title="Mailbox">
        E-mail that Turnpike would have sent you. The sandbox doesn’t send it.
      </PageHeader>
      {own.length === 0 ? (
        <NothingYet title="No e-mail yet" action="Open alerts" href="/alerts">
          E-mail appears here once you add an address and turn on e-mail for a rule.
        </NothingYet>
      ) : (
        <MailList mails={own} />
      )}
    </>
  );
}
