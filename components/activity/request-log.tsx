"use client";

import type { InputOf, OutputOf, RequestRecord } from "@turnpike/payments/protocol";
import { useRouter, useSearchParams } from "next/navigation";
import { useCallback, useRef, useState } from "react";
import type { ActivitySeries } from "@/lib/console/figures.ts";
import { usePolled } from "../data/use-polled.ts";
import { Button } from "../ui/button.tsx";
import { SegmentedLinks } from "../ui/fields/segmented-control.tsx";
import { Switch } from "../ui/fields/switch.tsx";
import { createLater } from "../ui/later.ts";
import { Kbd } from "../ui/values/kbd.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import { type ActivityFilter, activityHref } from "./activity-filter.ts";
import { ActivityFilters } from "./activity-filters.tsx";
import type { Names } from "./names.ts";
import { NoRequests } from "./no-requests.tsx";
import { RequestTable } from "./request-table.tsx";
import { RANGE_WORDS, RANGES } from "./series-points.ts";
import { TimeStrip } from "./time-strip.tsx";
import { useListKeys } from "./use-list-keys.ts";
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

const MOST_COUNTED = 10_000;
const SERIES_EACH_MS = 15_000;

/** The list of requests as it grows, with its chart, filters and the panel of one request. */
export function RequestLog({ filter, query, first, series, names }: RequestLogProps) {
  const router = useRouter();
  const [isOn, setOn] = useState(true);
  const isAway = useScrolledAway();
  const canTail = filter.until === undefined;
  const isLive = isOn && canTail && !isAway;
  const log = useRequestRows(query, first, isLive);
  const { rows, total, hasOlder, showOlder, isReadingOlder, olderFailed } = log;
  const { role, range, planId, agentId } = filter;
  const { data: shown = series } = usePolled(
    "getActivitySeries",
    { range, role, planId, agentId },
    { eachMs: SERIES_EACH_MS, first: series, isOn: isLive },
  );

  const openId = useSearchParams().get("open") ?? undefined;
  const at = rows.findIndex(({ agentRequestId }) => agentRequestId === openId);
  const show = useCallback((id: string | undefined, isStep = false) => {
    const url = new URL(window.location.href);
    if (id === undefined) url.searchParams.delete("open");
    else url.searchParams.set("open", id);
    // The list behind stays: only the address changes, and Back closes the panel.
    if (isStep || id === undefined) window.history.replaceState(null, "", url);
    else window.history.pushState(null, "", url);
  }, []);
  const onOpen = useCallback((record: RequestRecord) => show(record.agentRequestId), [show]);
  const neighbour = (step: 1 | -1) => {
    const next = at === -1 ? undefined : rows[at + step];
    return next && (() => show(next.agentRequestId, true));
  };
  const Panel = RequestPanel.usePart(openId !== undefined, () => show(undefined));
  const previous = neighbour(-1);
  const next = neighbour(1);

  const moves = useRef<((step: 1 | -1) => void) | null>(null);
  useListKeys({
    " ": () => canTail && setOn((on) => !on),
    j: () => (openId ? next?.() : moves.current?.(1)),
    k: () => (openId ? previous?.() : moves.current?.(-1)),
  });

  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <SegmentedLinks
          label="Side"
          links={[
            {
              label: "Served",
              href: activityHref({ ...filter, payer: undefined, role: "builder" }),
              isCurrent: role === "builder",
            },
            {
              label: "Made",
              href: activityHref({ ...filter, payer: undefined, role: "subscriber" }),
              isCurrent: role === "subscriber",
            },
          ]}
        />
        <SegmentedLinks
          label="Time"
          links={RANGES.map(({ range: one, label }) => ({
            label,
            href: activityHref(filter, { range: one, since: undefined, until: undefined }),
            isCurrent: range === one && filter.since === undefined,
          }))}
        />
        <span className="ms-auto flex items-center gap-3 max-sm:ms-0">
          {isOn && canTail && isAway && (
            <span className="text-ink-2 text-small">Waits while you read below</span>
          )}
          <Switch
            label="Live tail"
            checked={isOn && canTail}
            disabled={!canTail}
            title={canTail ? "Space pauses" : "A time is picked; clear it to follow new calls"}
            onChange={({ target }) => setOn(target.checked)}
          />
        </span>
      </div>
      <TimeStrip
        series={shown}
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
        rows={rows}
        role={role}
        names={names}
        openId={openId}
        onOpen={onOpen}
        onEnd={showOlder}
        moves={moves}
        message={rows.length === 0 ? <NoRequests filter={filter} /> : undefined}
        foot={
          rows.length > 0 && (
            <span>
              {groupDigits(rows.length)} of{" "}
              {total >= MOST_COUNTED ? `${groupDigits(total)} or more` : groupDigits(total)}{" "}
              {total === 1 ? "request" : "requests"}
              {filter.since === undefined && ` in ${RANGE_WORDS[range]}`}
              {log.tailFailed && ". New calls cannot be read just now; it goes on trying."}
            </span>
          )
        }
        footActions={
          hasOlder ? (
            <Button size="small" onClick={showOlder} isPending={isReadingOlder}>
              {olderFailed ? "Retry older requests" : "Show older requests"}
            </Button>
          ) : (
            rows.length > 0 && <Keys />
          )
        }
      />
      <p role="status" className="sr-only">
        {isLive && log.came > 0 && `${log.came} new ${log.came === 1 ? "request" : "requests"}`}
      </p>
      {Panel && (
        <Panel
          requestId={openId}
          record={rows[at]}
          role={role}
          names={names}
          onClose={() => show(undefined)}
          onPrevious={previous}
          onNext={next}
        />
      )}
    </>
  );
}

function Keys() {
  return (
    <span className="flex flex-wrap items-center gap-1.5 max-sm:hidden">
      <Kbd>j</Kbd>
      <Kbd>k</Kbd> rows, <Kbd>Enter</Kbd> open, <Kbd>Space</Kbd> pause
    </span>
  );
}
