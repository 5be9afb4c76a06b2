import { useRef, useState } from "react";
import { type Failing, failingOf } from "../../forms/action-answer.ts";
import { answerOf } from "../../forms/answer-of.ts";
import type { ConfirmActions, Identity } from "../../sign-in/confirm-as.ts";
import { ConfirmIdentity, proofText } from "../../sign-in/confirm-identity.tsx";
import { CodeBlock } from "../../ui/data/code-block.tsx";
import { createLater } from "../../ui/later.ts";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { SecretDialog } from "../../ui/overlays/secret-dialog.tsx";
import { CopyButton } from "../../ui/values/copy-button.tsx";
import { type CreateApiKey, inputOf, type KeyDraft } from "./key-draft.ts";
import type { ApiKey } from "./key-text.ts";

const KeyForm = createLater(() => import("./key-form.tsx"), "KeyForm");

type KeyDialogProps = {
  /** What the form opens with; undefined while the dialog is closed. */
  draft: KeyDraft | undefined;
  keys: ApiKey[];
  isSandbox: boolean;
  /** How the SDK is opened with the key, which it reads from `TURNPIKE_API_KEY`. */
  snippet: string;
  identity: Identity;
  confirmActions: ConfirmActions;
  createApiKey: CreateApiKey;
  onClose: () => void;
};

/** Where the dialog is: the form, the confirmation with what was typed, or the key, shown once. */
type Phase =
  | { name: "form"; draft?: KeyDraft; failing?: Failing }
  | { name: "confirm"; draft: KeyDraft }
  | { name: "shown"; apiKey: string };

const START: Phase = { name: "form" };

/** Creates or rotates a key and shows it once. */
export function KeyDialog({ draft, keys, identity, ...props }: KeyDialogProps) {
  const [phase, setPhase] = useState<Phase>(START);
  // While a key is being created the dialog stays open: the answer is the only one that has the key.
  const isCreating = useRef(false);
  const createApiKey: CreateApiKey = async (input) => {
    isCreating.current = true;
    try {
      return await props.createApiKey(input);
    } finally {
      isCreating.current = false;
    }
  };
  const close = () => {
    if (isCreating.current) return;
    props.onClose();
    setPhase(START);
  };
  const isForm = draft !== undefined && phase.name === "form";
  const Form = KeyForm.usePart(isForm, close);
  const show = ({ apiKey }: { apiKey: string }) => setPhase({ name: "shown", apiKey });
  const repeat = async (kept: KeyDraft) => {
    const answer = await answerOf(createApiKey(inputOf(kept)));
    if (answer?.ok) return show(answer.data);
    setPhase({ name: "form", draft: kept, failing: failingOf(answer) });
  };
  if (draft === undefined) return null;
  if (phase.name === "confirm") {
    return (
      <ConfirmIdentity
        identity={identity}
        actions={props.confirmActions}
        what="Creating an API key"
        onDone={() => void repeat(phase.draft)}
        onCancel={() => {
          if (!isCreating.current) setPhase({ name: "form", draft: phase.draft });
        }}
      />
    );
  }
  if (phase.name === "shown") {
    return <ShownOnce apiKey={phase.apiKey} snippet={props.snippet} onClose={close} />;
  }
  return (
    <Dialog
      isOpen={Form !== undefined}
      onClose={close}
      title="Create API key"
      className="max-w-170"
    >
      {Form && (
        <Form
          draft={phase.draft ?? draft}
          failing={phase.failing}
          keys={keys}
          isSandbox={props.isSandbox}
          proof={proofText(identity)}
          createApiKey={createApiKey}
          onCreated={show}
          onStepUp={(kept) => setPhase({ name: "confirm", draft: kept })}
          onCancel={close}
        />
      )}
    </Dialog>
  );
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
