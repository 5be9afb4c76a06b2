import type { ReactNode } from "react";
import { ConfirmDialog, type ConfirmDialogProps } from "../ui/overlays/dialog.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import type { ActionAnswer } from "./action-answer.ts";
import { FailureNotice } from "./failure-notice.tsx";
import { useOperation } from "./use-operation.ts";

type OperationDialogProps<Data> = Omit<ConfirmDialogProps, "isPending" | "onConfirm"> & {
  run: () => Promise<ActionAnswer<Data>>;
  /** Called before the dialog closes. */
  onDone: (data: Data) => void;
  /** What did not happen: "The token was not revoked." */
  failed: string;
  /** What to do when it may have happened, as of `FailureNotice`. */
  unknown?: ReactNode;
};

/** Asks before an operation, runs it, then closes; a failure is shown and can be retried. */
export function OperationDialog<Data>({
  run,
  onDone,
  onClose,
  failed,
  unknown,
  children,
  ...dialog
}: OperationDialogProps<Data>) {
  const operation = useOperation();
  const done = (data: Data) => {
    onDone(data);
    onClose();
  };
  return (
    <ConfirmDialog
      {...dialog}
      onClose={onClose}
      isPending={operation.isPending}
      onConfirm={() => void operation.run(run, done)}
    >
      {children}
      <FailureNotice title={failed} unknown={unknown} of={operation} />
    </ConfirmDialog>
  );
}

/** Takes the place of the dialog's effects while they are read. */
export function EffectsSkeleton() {
  return (
    <p role="status" className="grid grid-cols-1 gap-3 py-2">
      <span className="sr-only">Loading the effects</span>
      <Skeleton className="w-56" />
      <Skeleton className="w-72" />
      <Skeleton className="w-64" />
    </p>
  );
}
