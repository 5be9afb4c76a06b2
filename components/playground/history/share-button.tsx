import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { createLater } from "../../ui/later.ts";
import type { ShareProps } from "./share-dialog.tsx";

// Fetched when it is opened: it carries what finds secrets.
const Dialogs = createLater(() => import("./share-dialog.tsx").then((it) => it.ShareDialogs));

/** Opens the dialog that shares a run. */
export function ShareButton(props: ShareProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const Opened = Dialogs.usePart(isOpen, close);
  return (
    <>
      <Button onPointerEnter={Dialogs.ahead} onFocus={Dialogs.ahead} onClick={() => setOpen(true)}>
        Share
      </Button>
      {Opened && isOpen && <Opened {...props} onClose={close} />}
    </>
  );
}
