"use client";

import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";

/** A signing secret, shown once. */
export function ShownSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Signing secret"
      description="Copy it now. You won’t see it again. Verify deliveries with it and the package standardwebhooks."
      footer={<Button onClick={onClose}>I have copied it</Button>}
    >
      <div className="flex items-start gap-2 rounded-control border border-line bg-sunken p-3">
        <code data-signing-secret className="wrap-anywhere min-w-0 flex-1 text-small">
          {secret}
        </code>
        <CopyButton text={secret} label="Copy signing secret" />
      </div>
    </Dialog>
  );
}
