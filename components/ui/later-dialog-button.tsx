import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import type { createLater } from "./later.ts";

type Opened = { onClose: () => void };

type LaterDialogButtonProps<Props extends object> = {
  /** The dialog, fetched when the pointer or the focus is near. */
  dialog: ReturnType<typeof createLater<Props & Opened>>;
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
      <Button onPointerEnter={dialog.ahead} onFocus={dialog.ahead} onClick={() => setOpen(true)}>
        {children}
      </Button>
      {Dialog && isOpen && <Dialog {...given} onClose={close} />}
    </>
  );
}
