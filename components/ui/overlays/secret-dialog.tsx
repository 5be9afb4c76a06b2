import type { ReactNode } from "react";
import { Button } from "../button.tsx";
import { CopyButton } from "../values/copy-button.tsx";
import { Dialog } from "./dialog.tsx";

export type SecretDialogProps = {
  /** What it is, for the copy button: "API key". */
  name: string;
  secret: string;
  title: string;
  description: string;
  /** What can be done with it, below the secret. */
  children?: ReactNode;
  onClose: () => void;
};

/**
 * Shows a secret once. Only its button closes it: Escape or a click outside would lose a secret that can't be shown again.
 */
export function SecretDialog({ name, secret, onClose, children, ...texts }: SecretDialogProps) {
  return (
    <Dialog
      onClose={() => {}}
      footer={<Button onClick={onClose}>I have copied it</Button>}
      {...texts}
    >
      <div className="flex items-start gap-2 rounded-control border border-line bg-sunken p-3">
        <code data-secret className="wrap-anywhere min-w-0 flex-1 text-small">
          {secret}
        </code>
        <CopyButton text={secret} label={`Copy ${name}`} />
      </div>
      {children}
    </Dialog>
  );
}
