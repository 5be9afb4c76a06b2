import type { Alert } from "@turnpike/payments/protocol";
import { alertKindOf } from "@/lib/console/alert-kinds.ts";
import { ButtonLink } from "../ui/button-link.tsx";
import { Card } from "../ui/card.tsx";
import { Icon } from "../ui/icon.tsx";
import { Identifier } from "../ui/values/identifier.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";

const MAILED = {
  waiting: "Email queued",
  sent: "Email sent",
  failed: "Email not delivered",
  dropped: "Email not sent",
} as const;

/** Alerts with what to do; closed ones say when they were over. */
export function Inbox({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <Card isPadded={false}>
      <ul aria-label="Alerts">
        {alerts.map((alert) => (
          <Item key={alert.alertId} {...alert} />
        ))}
      </ul>
    </Card>
  );
}

function Item({ kind, status, title, detail, action, openedAt, closedAt, email, object }: Alert) {
  const isOpen = status === "open";
  return (
    <li
      data-alert={status}
      className="grid grid-cols-[16px_minmax(0,1fr)] gap-x-3 gap-y-1 border-line border-b p-(--card-pad) last:border-b-0 sm:grid-cols-[16px_minmax(0,1fr)_auto]"
    >
      <Icon
        name={isOpen ? alertKindOf(kind).icon : "check"}
        className={`mt-0.5 size-4 ${isOpen ? "text-unsettled" : "text-settled"}`}
      />
      <div className="grid gap-1">
        <p className={isOpen ? "wrap-anywhere font-medium" : "wrap-anywhere"}>{title}</p>
        <p className="wrap-anywhere text-ink-2 text-note">{detail}</p>
        <p className="flex flex-wrap gap-x-3 text-ink-2 text-small">
          <span>
            {isOpen ? "Open since" : "Opened"} <TimeAgo at={openedAt} form="full" />
          </span>
          {closedAt && (
            <span>
              Closed <TimeAgo at={closedAt} form="full" />
            </span>
          )}
          {email && <span>{MAILED[email]}</span>}
          {/* Several plans or agents may have one name. */}
          {object && kind !== "service-degraded" && <Identifier value={object} name="ID" />}
        </p>
      </div>
      <div className="max-sm:col-start-2 sm:self-center">
        <ButtonLink size="small" href={action.path}>
          {action.label}
        </ButtonLink>
      </div>
    </li>
  );
}
