import type { SandboxMail } from "@/lib/sandbox/operations.ts";
import { Card } from "../ui/card.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";

/** Mails as their reader gets them, with their links. */
export function MailList({ mails }: { mails: readonly SandboxMail[] }) {
  return (
    <ul className="grid max-w-180 gap-4" aria-label="Emails">
      {mails.map((mail) => (
        <li key={mail.messageId + mail.receivedAt}>
          <Card className="grid gap-2">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4">
              <h2 className="wrap-anywhere font-medium">{mail.subject}</h2>
              <span className="text-ink-2 text-small">
                <TimeAgo at={mail.receivedAt} form="full" />
              </span>
            </div>
            <p className="wrap-anywhere text-ink-2 text-small">
              From {mail.from} to {mail.to}
            </p>
            <div className="wrap-anywhere whitespace-pre-wrap text-note">
              {partsOf(mail).map(({ at, text, isLink }) =>
                isLink ? (
                  <a key={at} href={text} className="link">
                    {text}
                  </a>
                ) : (
                  <span key={at}>{text}</span>
                ),
              )}
            </div>
          </Card>
        </li>
      ))}
    </ul>
  );
}

type Part = { at: number; text: string; isLink: boolean };

/** The text in pieces: the links, and what is between them. */
function partsOf({ text, links }: SandboxMail): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const link of links) {
    const start = text.indexOf(link, at);
    if (start < 0) continue;
    parts.push({ at, text: text.slice(at, start), isLink: false });
    parts.push({ at: start, text: link, isLink: true });
    at = start + link.length;
  }
  return [...parts, { at, text: text.slice(at), isLink: false }];
}
