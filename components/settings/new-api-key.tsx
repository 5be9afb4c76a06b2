"use client";

import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { createLater } from "../ui/later.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";

import type { CreateApiKey } from "./new-key-form.tsx";

const NewKeyForm = createLater(() => import("./new-key-form.tsx").then((it) => it.NewKeyForm));

/** Creates a key and shows it once. */
export function NewApiKey({ createApiKey }: { createApiKey: CreateApiKey }) {
  const [isOpen, setOpen] = useState(false);
  const [apiKey, setApiKey] = useState<string | null>(null);
  const close = () => {
    setOpen(false);
    setApiKey(null);
  };
  const Form = NewKeyForm.usePart(isOpen, close);
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        New API key
      </Button>
      <Dialog
        isOpen={isOpen && Form !== undefined}
        onOpenChange={(open) => !open && close()}
        title={apiKey ? "Your new API key" : "New API key"}
        description={
          apiKey
            ? "Copy it now. You won’t see it again, and anyone who has it can act on your behalf."
            : "Name the key after what will use it, so that you know what to update when it expires."
        }
        footer={apiKey && <Button onClick={close}>I have copied it</Button>}
      >
        {apiKey ? (
          <ShownOnce apiKey={apiKey} />
        ) : (
          Form && <Form createApiKey={createApiKey} onCreated={setApiKey} onCancel={close} />
        )}
      </Dialog>
    </>
  );
}

function ShownOnce({ apiKey }: { apiKey: string }) {
  return (
    <div className="grid gap-2">
      <div className="flex items-start gap-2 rounded-control border border-line bg-sunken p-3">
        <code data-api-key className="wrap-anywhere min-w-0 flex-1 text-small">
          {apiKey}
        </code>
        <CopyButton text={apiKey} label="Copy API key" />
      </div>
      <div className="flex items-center gap-2 text-ink-2 text-note">
        <span>As a .env line</span>
        <CopyButton text={`TURNPIKE_API_KEY=${apiKey}`} label="Copy as .env line" />
      </div>
    </div>
  );
}
