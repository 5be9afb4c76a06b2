import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import Link from "next/link";
import { explainAttempt } from "@/lib/console/attempt-causes.ts";
import { plural } from "@/lib/text/plural.ts";
import { WhoActsTag } from "./who-acts-tag.tsx";

type CauseCellProps = { record: RequestRecord; role: Role };

/** Why a request was not paid and who acts, with the button where that is the reader; credits where it was paid. */
export function CauseCell({ record, role }: CauseCellProps) {
  const { title, action } = explainAttempt(record, role);
  if (title === "") {
    const isCharged = record.moneyStatus === "settled";
    return (
      <span className="text-ink-2">
        {isCharged ? plural(BigInt(record.credits), "credit") : "–"}
      </span>
    );
  }
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate" title={title}>
        {title}
      </span>
      <WhoActsTag whoActs={record.whoActs} role={role} />
      {action && (
        <Link href={action.href} className="link relative z-1 whitespace-nowrap">
          {action.label}
        </Link>
      )}
    </span>
  );
}
