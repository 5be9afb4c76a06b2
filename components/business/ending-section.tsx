"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import { toastWithUndo } from "../forms/undo-change.ts";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import type { Effect } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Section } from "../ui/page-header.tsx";

type Ending = () => Promise<ActionAnswer<unknown>>;

type EndingProps = {
  what: "plan" | "agent";
  name: string;
  isArchived: boolean;
  effects: Effect[];
  archive: Ending;
  restore: Ending;
  remove: Ending;
};

/** Archive, restore or delete a plan or an agent; what happens is said before it does. */
export function EndingSection(props: EndingProps) {
  const { what, name, isArchived, effects, archive, restore, remove } = props;
  const router = useRouter();
  const [asked, setAsked] = useState<"archive" | "delete">();
  const restoring = useOperation();
  const restoreHere = () => restoring.run(restore, () => void toast(`“${name}” is restored`));
  return (
    <Section id="ending" title={isArchived ? `This ${what} is archived` : "Archive or delete"}>
      <div className="grid max-w-180 gap-4">
        <Line text={isArchived ? ARCHIVED_TEXT[what] : ARCHIVE_TEXT[what]}>
          {isArchived ? (
            <Button onClick={() => void restoreHere()} isPending={restoring.isPending}>
              Restore {what}
            </Button>
          ) : (
            <Button onClick={() => setAsked("archive")}>Archive {what}</Button>
          )}
        </Line>
        <Line
          text={`${what === "agent" ? "An agent" : "A plan"} can only be deleted if it was never used. You can’t undo this.`}
        >
          <Button onClick={() => setAsked("delete")}>Delete {what}</Button>
        </Line>
      </div>
      <FailureNotice title={`The ${what} was not restored.`} of={restoring} />
      {asked === "archive" && (
        <OperationDialog
          title={`Archive “${name}”?`}
          effects={effects}
          safe="Keep it"
          verb={`Archive ${what}`}
          failed={`The ${what} was not archived.`}
          run={archive}
          onDone={() =>
            toastWithUndo(`“${name}” is archived`, {
              undo: restore,
              undone: `“${name}” is restored`,
              failed: `The ${what} “${name}” was not restored.`,
              onDone: () => router.refresh(),
            })
          }
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "delete" && (
        <OperationDialog
          title={`Delete “${name}”?`}
          effects={[
            {
              icon: "close",
              title: "You can’t undo this",
              detail: `If the ${what} was ever used, archive it instead.`,
            },
          ]}
          safe="Keep it"
          verb={`Delete ${what}`}
          failed={`The ${what} was not deleted.`}
          run={remove}
          onDone={() => {
            toast(`“${name}” is deleted`);
            router.push(`/${what}s`);
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Section>
  );
}

const Line = ({ text, children }: { text: string; children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-3">
    <p className="min-w-0 flex-1 basis-72 text-ink-2">{text}</p>
    {children}
  </div>
);

const ARCHIVE_TEXT = {
  plan: "Archiving stops new orders, top-ups and renewals. Subscribers keep what they bought. You can restore the plan at any time.",
  agent:
    "Archiving removes the agent from all lists. Calls with a valid access token are still charged. You can restore it at any time.",
};
const ARCHIVED_TEXT = {
  plan: "It can’t be ordered and is in no list. What was sold stays usable.",
  agent: "It is in no list. Calls with a valid access token are still charged.",
};
