import { type ReactNode, useState } from "react";
import { Button, type ButtonProps } from "../button.tsx";

type DialogButtonProps = ButtonProps & { dialog: (onClose: () => void) => ReactNode };

/** A button and the dialog that it opens. */
export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}
