import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { createLater } from "../../ui/later.ts";
import type { SharedLinksProps } from "./shared-links-dialog.tsx";

const LinksDialog = createLater(() =>
  import("./shared-links-dialog.tsx").then((it) => it.SharedLinksDialog),
);

/** Opens the list of runs the user shares. */
export function SharedLinksButton(props: SharedLinksProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const Opened = LinksDialog.usePart(isOpen, close);
  return (
    <>
      <Button
        onPointerEnter={LinksDialog.ahead}
        onFocus={LinksDialog.ahead}
        onClick={() => setOpen(true)}
      >
        Shared links
      </Button>
      {Opened && isOpen && <Opened {...props} onClose={close} />}
    </>
  );
}
