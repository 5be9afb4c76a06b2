import { type ComponentType, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";

type Opened = { onClose: () => void };

type LaterDialog<Props> = {
  near: { onPointerEnter: () => void; onFocus: () => void };
  usePart(isNeeded: boolean, onFailed: () => void): ComponentType<Props & Opened> | undefined;
};

type LaterDialogButtonProps<Props extends object> = {
  /** The dialog, fetched when the pointer or the focus is near. */
  dialog: LaterDialog<Props>;
  /** What the dialog gets besides `onClose`. */
  given: Props;
  children: ReactNode;
};

/** A button that opens a dialog whose code is fetched for it. */
export function LaterDialogButton<Props extends object>({
  dialog,
  given,
  children,
}: LaterDialogButtonProps<Props>) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const Dialog = dialog.usePart(isOpen, close);
  return (
    <>
      <Button {...dialog.near} onClick={() => setOpen(true)}>
        {children}
      </Button>
      {Dialog && isOpen && <Dialog {...given} onClose={close} />}
    </>
  );
}
