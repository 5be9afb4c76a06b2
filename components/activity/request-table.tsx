"use client";

import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import {
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { cn } from "../ui/cn.ts";
import {
  Cell,
  HeadCell,
  Table,
  TableBody,
  TableFoot,
  TableFrame,
  TableHead,
  TableMessage,
  TableRow,
} from "../ui/data/table.tsx";
import { createLater } from "../ui/later.ts";
import { Address } from "../ui/values/address.tsx";
import { TimeAgo } from "../ui/values/time-ago.tsx";
import { rowKey } from "./merge-rows.ts";
import { type Names, nameOf } from "./names.ts";
import { creditsTaken, Endpoint, HttpCell, MoneyCell } from "./request-cells.tsx";
import type { SeenRows } from "./row-window.tsx";
import { msText, tookMs } from "./trace-spans.ts";

const RowWindow = createLater(() => import("./row-window.tsx").then((it) => it.RowWindow));

export type RequestTableProps = {
  caption: string;
  rows: readonly RequestRecord[];
  role: Role;
  names: Names;
  openId: string | undefined;
  onOpen: (record: RequestRecord) => void;
  /** The last row that is there came into sight. */
  onEnd?: () => void;
  message?: ReactNode;
  foot?: ReactNode;
  footActions?: ReactNode;
  /** Moves the focus to the row before or after the one that has it. */
  moves?: RefObject<((step: 1 | -1) => void) | null>;
};

const VIRTUAL_FROM = 50;
const ROW_PX = 41;
const PHONE_ROW_PX = 104;
const PHONE_PX = 640;

const COLUMNS: { name: string; className?: string; align?: "end" }[] = [
  { name: "Time", className: "w-24" },
  { name: "Endpoint", className: "w-auto" },
  { name: "Agent", className: "w-32 max-2xl:hidden" },
  { name: "Plan", className: "w-32" },
  { name: "Payer", className: "w-31 max-xl:hidden" },
  { name: "HTTP", className: "w-17" },
  { name: "Money", className: "w-46" },
  { name: "Credits", className: "w-20", align: "end" },
  { name: "Verify", className: "w-20 max-2xl:hidden", align: "end" },
  { name: "Settle", className: "w-20 max-2xl:hidden", align: "end" },
  { name: "Took", className: "w-24", align: "end" },
];

/** Requests as rows; from a full page on only those in sight are in the page, and older ones come as it is read. */
export function RequestTable(props: RequestTableProps) {
  const { caption, rows, role, names, openId, onOpen, onEnd, message, foot, footActions } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [place, setPlace] = useState({ top: 0, isPhone: false });
  const [isVirtual, setVirtual] = useState(false);
  // Only once the browser has laid it out: the server's rows carry no sizes.
  useEffect(() => setVirtual(rows.length >= VIRTUAL_FROM), [rows.length]);
  useLayoutEffect(() => {
    const measure = () => {
      const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      const isPhone = window.innerWidth < PHONE_PX;
      setPlace((known) =>
        known.top === top && known.isPhone === isPhone ? known : { top, isPhone },
      );
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, []);

  const Window = RowWindow.usePart(isVirtual, () => setVirtual(false));
  const [seen, setSeen] = useState<SeenRows>();
  const isCut = isVirtual && Window !== undefined && seen !== undefined;
  const { before = 0, after = 0 } = isCut ? seen : {};
  const start = isCut ? seen.first : 0;
  const end = isCut ? Math.min(seen.last + 1, rows.length) : rows.length;
  const indexes = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);

  const last = indexes.at(-1) ?? -1;
  useEffect(() => {
    if (isCut && last >= rows.length - 1) onEnd?.();
  }, [isCut, last, rows.length, onEnd]);

  useEffect(() => {
    if (!props.moves) return;
    const focusRow = (index: number) =>
      body.current
        ?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-opener]`)
        ?.focus();
    props.moves.current = (step) => {
      const at = document.activeElement?.closest("tr")?.getAttribute("data-index");
      const next = at === null || at === undefined ? 0 : Number(at) + step;
      if (next < 0 || next >= rows.length) return;
      if (isCut) seen.show(next);
      requestAnimationFrame(() => focusRow(next));
    };
  });

  return (
    <TableFrame>
      {Window && isVirtual && (
        <Window
          rows={rows}
          top={place.top}
          rowPx={place.isPhone ? PHONE_ROW_PX : ROW_PX}
          onMove={setSeen}
        />
      )}
      <Table caption={caption} className="table-fixed" aria-rowcount={rows.length + 1}>
        <TableHead>
          {COLUMNS.map(({ name, className, align }) => (
            <HeadCell key={name} className={className} align={align}>
              {name}
            </HeadCell>
          ))}
        </TableHead>
        <TableBody ref={body}>
          {message && <TableMessage columns={COLUMNS.length}>{message}</TableMessage>}
          <Spacer height={before} />
          {!message &&
            indexes.map((index) => {
              const record = rows[index];
              if (!record) return null;
              return (
                <RequestRow
                  key={rowKey(record)}
                  index={index}
                  record={record}
                  role={role}
                  names={names}
                  isOpen={record.agentRequestId === openId}
                  onOpen={onOpen}
                  measure={isCut ? seen.measure : undefined}
                />
              );
            })}
          <Spacer height={after} />
        </TableBody>
      </Table>
      {(foot || footActions) && <TableFoot actions={footActions}>{foot}</TableFoot>}
    </TableFrame>
  );
}

function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="max-sm:block">
      <td colSpan={COLUMNS.length} className="p-0 max-sm:block" style={{ height }} />
    </tr>
  );
}

type RequestRowProps = Pick<RequestTableProps, "role" | "names" | "onOpen"> & {
  index: number;
  record: RequestRecord;
  isOpen: boolean;
  measure: ((element: Element | null) => void) | undefined;
};

const OPENER =
  "text-ink no-underline after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2";

const RequestRow = memo(function RequestRow(props: RequestRowProps) {
  const { index, record, names, isOpen, onOpen, measure } = props;
  const { agentRequestId, at, planId, agentId, payer, verifyMs, settleMs } = record;
  return (
    <TableRow ref={measure} data-index={index} aria-rowindex={index + 2} isOpen={isOpen}>
      <Cell className="max-sm:row-start-3 max-sm:text-ink-2">
        <TimeAgo at={at} form="clock" />
      </Cell>
      <Cell phone="title" className="max-sm:wrap-anywhere sm:truncate">
        <a
          href={`/activity/${encodeURIComponent(agentRequestId)}`}
          data-row-opener
          title={agentRequestId}
          className={OPENER}
          onClick={(event) => {
            // A new tab or window shows the page of the trace.
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
            event.preventDefault();
            onOpen(record);
          }}
        >
          <Endpoint record={record} />
        </a>
      </Cell>
      <Cell phone="hidden" className="truncate max-2xl:hidden">
        {nameOf(names.agents, agentId)}
      </Cell>
      <Cell phone="hidden" className="truncate">
        {nameOf(names.plans, planId)}
      </Cell>
      <Cell phone="hidden" className="max-xl:hidden">
        {payer ? <Address value={payer} name="payer" isCopyable={false} /> : "–"}
      </Cell>
      <Cell>
        <HttpCell record={record} />
      </Cell>
      <Cell phone="end">
        <MoneyCell record={record} />
      </Cell>
      <Cell align="end" phone="hidden">
        {creditsTaken(record)}
      </Cell>
      <Cell align="end" phone="hidden" className="max-2xl:hidden">
        {msText(verifyMs)}
      </Cell>
      <Cell align="end" phone="hidden" className="max-2xl:hidden">
        {msText(settleMs)}
      </Cell>
      <Cell align="end" phone="end" className={cn("max-sm:row-start-3")}>
        {msText(tookMs(record))}
      </Cell>
    </TableRow>
  );
});
