"use client";

import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useRef } from "react";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import { plural } from "@/lib/text/plural.ts";
import { createLater } from "../ui/later.ts";
import { type ActivityFilter, activityHref } from "./filter/activity-filter.ts";
import { ActivityFilters } from "./filter/activity-filters.tsx";
import { LogBar } from "./log-bar.tsx";
import { LogActions, LogCount } from "./log-foot.tsx";
import type { Names } from "./names.ts";
import { NoRequests } from "./no-requests.tsx";
import { RequestTable } from "./request-table.tsx";
import { TimeStrip } from "./time/time-strip.tsx";
import { useListKeys } from "./use-list-keys.ts";
import { useLiveTail } from "./use-live-tail.tsx";
import { useOpenRequest } from "./use-open-request.ts";
import { useRequestRows } from "./use-request-rows.ts";

export type RequestLogProps = {
  filter: ActivityFilter;
  query: InputOf<"listRequests">;
  first: OutputOf<"listRequests">;
  series: ActivitySeries;
  names: Names;
};

const RequestPanel = createLater(() => import("./request-panel.tsx").then((it) => it.RequestPanel));

/** The list of requests as it grows, with its chart, filters and the panel of one request. */
export function RequestLog({ filter, query, first, series, names }: RequestLogProps) {
  const router = useRouter();
  const log = useRequestRows(query, first);
  const tail = useLiveTail({ filter, query, series, onRows: log.addNewest });
  const panel = useOpenRequest(log.rows);
  const Panel = RequestPanel.usePart(panel.openId !== undefined, panel.close);
  const body = useRef<HTMLTableSectionElement>(null);
  const focusFirstRow = () =>
    body.current?.querySelector<HTMLElement>("[data-row-opener]")?.focus();
  useListKeys({
    " ": () => tail.isPossible && tail.setOn(!tail.isOn),
    j: () => (panel.openId ? panel.next?.() : focusFirstRow()),
    k: () => (panel.openId ? panel.previous?.() : focusFirstRow()),
  });

  return (
    <>
      <LogBar filter={filter} tail={tail} />
      <TimeStrip
        series={tail.chart}
        since={filter.since}
        until={filter.until}
        onPick={(since, until) =>
          router.push(activityHref(filter, { since, until }), { scroll: false })
        }
      />
      <div className="mt-4 mb-3">
        <ActivityFilters filter={filter} names={names} />
      </div>
      <RequestTable
        caption="Requests, newest first"
        rows={log.rows}
        names={names}
        role={filter.role}
        openId={panel.openId}
        onOpen={panel.open}
        onEnd={log.showOlder}
        body={body}
        empty={<NoRequests filter={filter} />}
        foot={
          log.rows.length > 0 && (
            <LogCount
              shown={log.rows.length}
              total={log.total}
              range={filter.since === undefined ? filter.range : undefined}
              isFailing={tail.isFailing}
            />
          )
        }
        footActions={(log.hasOlder || log.rows.length > 0) && <LogActions {...log} />}
      />
      <p role="status" className="sr-only">
        {tail.isLive && log.added > 0 && plural(log.added, "new request")}
      </p>
      {tail.element}
      {Panel && (
        <Panel
          requestId={panel.openId}
          record={panel.record}
          role={filter.role}
          names={names}
          onClose={panel.close}
          onPrevious={panel.previous}
          onNext={panel.next}
        />
      )}
    </>
  );
}
