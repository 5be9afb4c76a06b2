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
        Mail to your address, which the sandbox keeps instead of sending it.
      </PageHeader>
      {own.length === 0 ? (
        <NothingYet title="No mail yet" action="Open alerts" href="/alerts">
          Mail appears here once you have set an e-mail address and asked for it in a rule.
        </NothingYet>
      ) : (
        <MailList mails={own} />
      )}
    </>
  );
}
