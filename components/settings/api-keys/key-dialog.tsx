import { useState } from "react";
import { CodeBlock } from "../../ui/data/code-block.tsx";
import { createLater } from "../../ui/later.ts";
import { SecretDialog } from "../../ui/overlays/secret-dialog.tsx";
import { CopyButton } from "../../ui/values/copy-button.tsx";
import type { KeyDraft } from "./key-draft.ts";
import type { KeyFormProps } from "./key-form.tsx";

const KeyForm = createLater(() => import("./key-form.tsx"), "KeyForm");

type KeyDialogProps = Omit<KeyFormProps, "draft" | "onCreated"> & {
  /** What the form opens with; undefined while the dialog is closed. */
  draft: KeyDraft | undefined;
  /** How the SDK is opened with the key, which it reads from `TURNPIKE_API_KEY`. */
  snippet: string;
};

/** Creates or rotates a key and shows it once. */
export function KeyDialog({ draft, snippet, onClose, ...props }: KeyDialogProps) {
  const [created, setCreated] = useState<string>();
  const close = () => {
    onClose();
    setCreated(undefined);
  };
  const Form = KeyForm.usePart(draft !== undefined && created === undefined, close);
  if (draft === undefined) return null;
  if (created) return <ShownOnce apiKey={created} snippet={snippet} onClose={close} />;
  const show = ({ apiKey }: { apiKey: string }) => setCreated(apiKey);
  return Form && <Form {...props} draft={draft} onCreated={show} onClose={close} />;
}

type ShownOnceProps = { apiKey: string; snippet: string; onClose: () => void };

function ShownOnce({ apiKey, snippet, onClose }: ShownOnceProps) {
  return (
    <SecretDialog
      name="API key"
      secret={apiKey}
      title="Your new API key"
      description="Copy it now. You won’t see it again, and anyone who has it can use it."
      onClose={onClose}
    >
      <div className="flex items-center gap-2 text-ink-2 text-note">
        <span>As a .env line</span>
        <CopyButton text={`TURNPIKE_API_KEY=${apiKey}`} label="Copy as .env line" />
      </div>
      <CodeBlock title="JavaScript" label="Code" copies={snippet}>
        <code>{snippet}</code>
      </CodeBlock>
    </SecretDialog>
  );
}
