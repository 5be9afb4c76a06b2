import type { ReactNode } from "react";
import { Button, type ButtonProps } from "../button.tsx";
import { Icon, type IconName } from "../icon.tsx";
import { createLater } from "../later.ts";
import type { DialogProps } from "./dialog-window.tsx";

const DialogWindow = createLater(() => import("./dialog-window.tsx"), "DialogWindow");

/** A modal dialog, open while it is rendered. Its window is fetched when it is first opened. */
export function Dialog(props: DialogProps) {
  const Window = DialogWindow.usePart(props.isOpen ?? true, props.onClose);
  return Window && <Window {...props} />;
}

export type Effect = { icon: IconName; title: ReactNode; detail?: ReactNode };

export function Effects({ effects }: { effects: Effect[] }) {
  return (
    <ul className="grid">
      {effects.map(({ icon, title, detail }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list of sentences.
          key={index}
          className="grid grid-cols-[16px_minmax(0,1fr)] gap-x-2.5 gap-y-0.5 border-line border-t py-2.5"
        >
          <Icon name={icon} className="mt-0.5 size-4" />
          <p className="font-semibold">{title}</p>
          {detail && <p className="col-start-2 text-ink-2 text-note">{detail}</p>}
        </li>
      ))}
    </ul>
  );
}

export type ConfirmDialogProps = Omit<DialogProps, "footer"> & {
  effects?: Effect[];
  /** The button that confirms, as verb and object: "Revoke delegation". */
  verb: string;
  /** The safe answer, which takes the focus: "Keep it". */
  safe: string;
  look?: "danger" | "primary";
  isPending?: boolean;
  onConfirm: () => void;
};

/** Lists the effects before the button that confirms. The safe answer has the focus. It stays open while it is pending. */
export function ConfirmDialog({
  effects,
  verb,
  safe,
  look = "danger",
  isPending,
  onConfirm,
  children,
  ...props
}: ConfirmDialogProps) {
  // Closing cancels nothing that was sent, and its failure would be shown nowhere.
  const close = () => {
    if (!isPending) props.onClose();
  };
  return (
    <Dialog
      {...props}
      onClose={close}
      footer={
        <>
          <Button data-safe aria-disabled={isPending || undefined} onClick={close}>
            {safe}
          </Button>
          <Button look={look} isPending={isPending} onClick={onConfirm}>
            {verb}
          </Button>
        </>
      }
    >
      {effects && <Effects effects={effects} />}
      {children}
    </Dialog>
  );
}

type ActionDialogProps = Omit<DialogProps, "footer"> & {
  /** The button that only closes it. */
  safe?: string;
  /** The primary button, and what it does: `onClick`, or the `form` it submits. */
  verb: string;
  action: Omit<ButtonProps, "children">;
};

/** A dialog that something is chosen or entered in. It stays open while its action is pending. */
export function ActionDialog(props: ActionDialogProps) {
  const { onClose, safe = "Cancel", verb, action, ...dialog } = props;
  const close = () => {
    if (!action.isPending) onClose();
  };
  const footer = (
    <>
      <Button aria-disabled={action.isPending || undefined} onClick={close}>
        {safe}
      </Button>
      <Button look="primary" type={action.form ? "submit" : "button"} {...action}>
        {verb}
      </Button>
    </>
  );
  return <Dialog {...dialog} onClose={close} footer={footer} />;
}
