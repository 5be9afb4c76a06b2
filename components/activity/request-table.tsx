import type { RequestRecord, Role } from "@turnpike/payments/protocol";
import { type ReactNode, type RefObject, useMemo } from "react";
import { DataTable } from "../ui/data/data-table.tsx";
import { useRowWindow } from "../ui/data/use-row-window.tsx";
import { rowKey } from "./merge-rows.ts";
import type { Names } from "./names.ts";
import { requestColumns } from "./request-columns.tsx";

export type RequestTableProps = {
  caption: string;
  rows: readonly RequestRecord[];
  names: Names;
  role: Role;
  openId: string | undefined;
  onOpen: (record: RequestRecord) => void;
  /** Called when the last row comes into sight. */
  onEnd: (() => void) | undefined;
  body: RefObject<HTMLTableSectionElement | null>;
  empty: ReactNode;
  foot?: ReactNode;
  footActions?: ReactNode;
};

const hrefOf = ({ agentRequestId }: RequestRecord) =>
  `/activity/${encodeURIComponent(agentRequestId)}`;

/** Requests as rows. In a long list only the rows in sight are rendered. */
export function RequestTable({
  rows,
  names,
  role,
  openId,
  onEnd,
  body,
  ...props
}: RequestTableProps) {
  const columns = useMemo(() => requestColumns(names, role), [names, role]);
  const keys = useMemo(() => rows.map(rowKey), [rows]);
  const { rowWindow, watcher } = useRowWindow({ keys, body, onEnd });
  const open = rows.find(({ agentRequestId }) => agentRequestId === openId);
  return (
    <>
      {watcher}
      <DataTable
        {...props}
        columns={columns}
        rows={rows}
        rowId={rowKey}
        hrefOf={hrefOf}
        openId={open && rowKey(open)}
        window={rowWindow}
        body={body}
        className="table-fixed"
      />
    </>
  );
}
