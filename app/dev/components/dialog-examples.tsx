"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { CommandMenu } from "@/components/ui/overlays/command-menu.tsx";
import { ConfirmDialog } from "@/components/ui/overlays/dialog.tsx";
import { toast } from "@/components/ui/overlays/toast-store.ts";
import { ExampleSection, Examples } from "./example-section.tsx";

const COMMANDS = [
  {
    name: "Go to",
    items: [
      {
        id: "plans",
        label: "Plans",
        icon: "plans" as const,
        keys: ["g", "p"],
        onSelect: () => toast("This opens Plans"),
      },
      {
        id: "delegations",
        label: "Delegations",
        icon: "gauge" as const,
        keys: ["g", "d"],
        onSelect: () => toast("This opens Delegations"),
      },
    ],
  },
  {
    name: "Actions",
    items: [
      {
        id: "mint",
        label: "Mint access token",
        icon: "key" as const,
        note: "for “Starter”",
        onSelect: () => toast("This mints a token"),
      },
    ],
  },
];

export function DialogExamples() {
  const [isAsking, setIsAsking] = useState(false);
  const [isSearching, setIsSearching] = useState(false);
  const [query, setQuery] = useState("");
  return (
    <ExampleSection
      id="dialog"
      title="Dialog, toast, commands"
      about="Effects come before the action. The safe answer has the focus. A toast is never the only message."
    >
      <Examples>
        <Button onClick={() => setIsAsking(true)}>Revoke</Button>
        <Button onClick={() => toast("“CI smoke test” was revoked at 14:10:22")}>Show toast</Button>
        <Button
          onClick={() =>
            toast("Payment is not confirmed yet", {
              tone: "warn",
              action: { label: "Check status", run: () => {} },
            })
          }
        >
          Show toast with action
        </Button>
        <Button onClick={() => setIsSearching(true)}>Open commands</Button>
      </Examples>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title="Revoke “CI smoke test”?"
        description="It stops immediately. You can’t undo this."
        effects={[
          {
            icon: "key",
            title: "1 access token stops now",
            detail: "The next call with …Vb31nc is declined.",
          },
          {
            icon: "check",
            title: "You keep your credits",
            detail: "A new delegation can use them.",
          },
        ]}
        safe="Keep it"
        verb="Revoke delegation"
        onConfirm={() => {
          setIsAsking(false);
          toast("“CI smoke test” was revoked at 14:10:22");
        }}
      />
      <CommandMenu
        isOpen={isSearching}
        onOpenChange={setIsSearching}
        query={query}
        onQuery={setQuery}
        groups={COMMANDS.map(({ name, items }) => ({
          name,
          items: items.filter(({ label }) => label.toLowerCase().includes(query)),
        })).filter(({ items }) => items.length > 0)}
      />
    </ExampleSection>
  );
}
