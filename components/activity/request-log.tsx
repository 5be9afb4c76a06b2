"use client";

import type { InputOf, OutputOf, RequestRecord } from "@turnpike/payments/protocol";
import { useRouter, useSearchParams } from "next/navigation";
import { type ReactNode, useCallback, useEffect, useReducer, useRef } from "react";
import type { ActivitySeries, FigureRange } from "@/lib/console/figures.ts";
import { plural, pluralWord } from "@/lib/text/plural.ts";
import { areShortcutsOff } from "../shell/use-shortcuts.ts";
import { Button } from "../ui/button.tsx";
import { createLater } from "../ui/later.ts";
import { Kbd } from "../ui/values/kbd.tsx";
import { groupDigits } from "../ui/values/money-text.ts";
import {
  type ActivityFilter,
  activityHref,
  activityQuery,
  isBeyondChart,
} from "./filter/activity-filter.ts";
import { ActivityFilters } from "./filter/activity-filters.tsx";
import { LogBar } from "./log-bar.tsx";
import { type LogRows, nextLogRows, readsOn, startLogRows } from "./log-rows.ts";
import type { RequestPage } from "./merge-rows.ts";
import type { Names } from "./names.ts";
import { RequestTable } from "./request-table.tsx";
import { onlyStatuses, RANGE_WORDS, sinceText } from "./series-points.ts";
import { TimeStrip } from "./time/time-strip.tsx";
import { useLiveTail } from "./use-live-tail.tsx";

export type RequestLogProps = {
  filter: ActivityFilter;
  query: InputOf<"listRequests">;
  first: OutputOf<"listRequests">;
  series: ActivitySeries;
  names: Names;
  /** Shown in place of the rows where there are none; rendered by the server, so that lists don't carry it. */
  empty: ReactNode;
};

const RequestPanel = createLater(() => import("./request-panel.tsx"), "RequestPanel");

/** The list of requests as it grows, with its chart, filters and the panel of one request. */
export function RequestLog(props: RequestLogProps) {
  const { filter, query, first, series, names, empty } = props;
  const router = useRouter();
  const address = activityQuery(filter);
  const log = useRequestRows(address, query, first);
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
        series={onlyStatuses(tail.chart, filter.money)}
        since={filter.since}
        until={filter.until}
        onPick={(since, until) =>
          router.push(activityHref(filter, { since, until }), { scroll: false })
        }
      />
      {isBeyondChart(filter) && (
        <p className="mt-1 text-ink-2 text-small">
          The chart also counts requests that the filters below hide.
        </p>
      )}
      <div className="mt-4 mb-3">
        <ActivityFilters filter={filter} names={names} />
      </div>
      <RequestTable
        key={address}
        caption="Requests, newest first"
        rows={log.rows}
        names={names}
        role={filter.role}
        openId={panel.openId}
        onOpen={panel.open}
        onEnd={log.onEnd}
        body={body}
        empty={empty}
        foot={
          log.rows.length > 0 && (
            <LogCount
              shown={log.rows.length}
              total={log.total}
              range={filter.since === undefined ? filter.range : undefined}
              since={query.since}
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

const TAKES_KEYS = "input, textarea, select, button, [contenteditable], [role=slider], [role=menu]";

/** Single-key shortcuts of a list. A focused control that uses a key itself keeps it. */
function useListKeys(keys: Record<string, () => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.isComposing || areShortcutsOff()) return;
      const isOnControl = event.target instanceof HTMLElement && event.target.closest(TAKES_KEYS);
      const isDialog = document.querySelector("[role=dialog][data-state=open] form") !== null;
      const isLetter = event.key !== " ";
      if (isDialog || (isOnControl && !(isLetter && isOnControl.matches("button")))) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

type Show = (id: string | undefined, options?: { isStep?: boolean }) => void;

/** The request in the side panel, kept in the address, with its neighbours in the list. */
function useOpenRequest(rows: readonly RequestRecord[]) {
  const openId = useSearchParams().get("open") ?? undefined;
  const at = rows.findIndex(({ agentRequestId }) => agentRequestId === openId);
  const show: Show = useCallback((id, { isStep = false } = {}) => {
    const url = new URL(window.location.href);
    if (id === undefined) url.searchParams.delete("open");
    else url.searchParams.set("open", id);
    // The list stays as it is: only the address changes, and Back closes the panel.
    if (isStep || id === undefined) window.history.replaceState(null, "", url);
    else window.history.pushState(null, "", url);
  }, []);
  const open = useCallback(({ agentRequestId }: RequestRecord) => show(agentRequestId), [show]);
  const close = useCallback(() => show(undefined), [show]);
  const neighbour = (step: 1 | -1) => {
    const next = at === -1 ? undefined : rows[at + step];
    return next && (() => show(next.agentRequestId, { isStep: true }));
  };
  return {
    openId,
    record: rows[at],
    open,
    close,
    previous: neighbour(-1),
    next: neighbour(1),
  };
}

const OLDER_PAGE = 100;

/** The rows of one filter: `addNewest` takes the newest page as it changes, `showOlder` reads further back. */
function useRequestRows(
  filter: string,
  query: InputOf<"listRequests">,
  first: OutputOf<"listRequests">,
) {
  const [log, dispatch] = useReducer(nextLogRows, { filter, page: first }, startLogRows);
  const { rows, added, older } = log;
  // Not by a key: the filters keep the focus, and a paused tail stays paused.
  if (log.filter !== filter) dispatch({ kind: "filterChosen", filter, page: first });
  const { nextCursor: cursor } = rows;
  const showOlder = async () => {
    if (!cursor || older === "reading") return;
    dispatch({ kind: "olderRequested", filter });
    try {
      const { readOperation } = await import("../data/read-operation.ts");
      const page = await readOperation("listRequests", { ...query, cursor, limit: OLDER_PAGE });
      dispatch({ kind: "olderRead", filter, page });
    } catch {
      dispatch({ kind: "olderFailed", filter });
    }
  };
  const addNewest = useCallback(
    (page: RequestPage) => dispatch({ kind: "newestRead", filter, page }),
    [filter],
  );
  return {
    rows: rows.items,
    total: rows.total,
    hasOlder: cursor !== undefined,
    added,
    older,
    showOlder,
    onEnd: readsOn({ rows, older }) ? showOlder : undefined,
    addNewest,
  };
}

/** The service stops counting here. */
const MOST_COUNTED = 10_000;

type LogCountProps = {
  shown: number;
  total: number;
  /** The range that is counted; absent where a time was picked in it. */
  range: FigureRange | undefined;
  since: string | undefined;
  isFailing: boolean;
};

function LogCount({ shown, total, range, since, isFailing }: LogCountProps) {
  const isMore = total >= MOST_COUNTED;
  return (
    <span>
      {groupDigits(shown)} of {isMore ? `${groupDigits(total)} or more` : groupDigits(total)}{" "}
      {pluralWord(total, "request")}
      {range !== undefined && ` in the last ${RANGE_WORDS[range]}`}
      {range !== undefined && since !== undefined && `, ${sinceText(since)}`}
      {isFailing && ". New requests can’t be loaded right now; retrying."}
    </span>
  );
}

type LogActionsProps = { hasOlder: boolean; older: LogRows["older"]; showOlder: () => void };

function LogActions({ hasOlder, older, showOlder }: LogActionsProps) {
  if (hasOlder) {
    return (
      <Button size="small" onClick={showOlder} isPending={older === "reading"}>
        {older === "failed" ? "Retry older requests" : "Show older requests"}
      </Button>
    );
  }
  return (
    <span className="flex flex-wrap items-center gap-1.5 max-sm:hidden">
      <Kbd>j</Kbd>
      <Kbd>k</Kbd> rows, <Kbd>Enter</Kbd> open, <Kbd>Space</Kbd> pause
    </span>
  );
}
