"use client";

import type { ActivitySeries, InputOf, OutputOf } from "@turnpike/payments/protocol";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { plural } from "@/lib/text/plural.ts";
import { createLater } from "../ui/later.ts";
import { type ActivityFilter, activityHref } from "./activity-filter.ts";
import { ActivityFilters } from "./activity-filters.tsx";
import { LogBar } from "./log-bar.tsx";
import { LogActions, LogCount } from "./log-foot.tsx";
import type { Names } from "./names.ts";
import { NoRequests } from "./no-requests.tsx";
import { RequestTable } from "./request-table.tsx";
import { TimeStrip } from "./time-strip.tsx";
import { useListKeys } from "./use-list-keys.ts";
import { useOpenRequest } from "./use-open-request.ts";
import { useRequestRows } from "./use-request-rows.ts";
import { useScrolledAway } from "./use-scrolled-away.ts";

export type RequestLogProps = {
  filter: ActivityFilter;
  query: InputOf<"listRequests">;
  first: OutputOf<"listRequests">;
  series: ActivitySeries;
  names: Names;
};

const RequestPanel = createLater(() => import("./request-panel.tsx").then((it) => it.RequestPanel));
const LiveTail = createLater(() => import("./live-tail.tsx").then((it) => it.LiveTail));

/** The list of requests as it grows, with its chart, filters and the panel of one request. */
export function RequestLog({ filter, query, first, series, names }: RequestLogProps) {
  const router = useRouter();
  const [isOn, setOn] = useState(true);
  const [isFailing, setFailing] = useState(false);
  const [chart, setChart] = useState(series);
  const isAway = useScrolledAway();
  const canTail = filter.until === undefined;
  const isLive = isOn && canTail && !isAway;
  const { role, range, planId, agentId } = filter;
  const log = useRequestRows(query, first);
  const panel = useOpenRequest(log.rows);
  const Panel = RequestPanel.usePart(panel.openId !== undefined, panel.close);
  const Tail = LiveTail.usePart(isLive, () => setOn(false));

  const body = useRef<HTMLTableSectionElement>(null);
  const focusFirstRow = () =>
    body.current?.querySelector<HTMLElement>("[data-row-opener]")?.focus();
  useListKeys({
    " ": () => canTail && setOn((on) => !on),
    j: () => (panel.openId ? panel.next?.() : focusFirstRow()),
    k: () => (panel.openId ? panel.previous?.() : focusFirstRow()),
  });

  return (
    <>
      <LogBar
        filter={filter}
        tail={{
          isOn: isOn && canTail,
          isPossible: canTail,
          isWaiting: isOn && canTail && isAway,
          setOn,
        }}
      />
      <TimeStrip
        series={chart}
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
              range={filter.since === undefined ? range : undefined}
              isFailing={isFailing}
            />
          )
        }
        footActions={(log.hasOlder || log.rows.length > 0) && <LogActions {...log} />}
      />
      <p role="status" className="sr-only">
        {isLive && log.added > 0 && plural(log.added, "new request")}
      </p>
      {isLive && Tail && (
        <Tail
          query={query}
          seriesQuery={{ range, role, planId, agentId }}
          onRows={log.addNewest}
          onSeries={setChart}
          onFailing={setFailing}
        />
      )}
      {Panel && (
        <Panel
          requestId={panel.openId}
          record={panel.record}
          role={role}
          names={names}
          onClose={panel.close}
          onPrevious={panel.previous}
          onNext={panel.next}
        />
      )}
    </>
  );
}
