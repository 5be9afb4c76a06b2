import type { ButtonProps } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";

/** Asks before it discards a draft that is kept in the browser. */
export function DiscardDraft({ onDiscard, ...button }: ButtonProps & { onDiscard: () => void }) {
  return (
    <DialogButton
      {...button}
      dialog={(onClose) => (
        <ConfirmDialog
          onClose={onClose}
          title="Discard this draft?"
          description="It will be deleted from this browser. Nothing was sent."
          safe="Keep it"
          verb="Discard draft"
          onConfirm={() => {
            onClose();
            onDiscard();
          }}
        />
      )}
    >
      Discard draft
    </DialogButton>
  );
}
