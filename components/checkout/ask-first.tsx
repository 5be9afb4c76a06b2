"use client";

import { type ReactNode, useState } from "react";
import { Checkbox } from "../ui/fields/checkbox.tsx";
import { Notice } from "../ui/notice.tsx";

/** Why an order would open nothing now; undefined when it opens something. */
export type Opens = "no-agent" | "no-answer";

const WARNINGS: Record<Opens, { title: string; text: string }> = {
  "no-agent": {
    title: "No agent accepts this plan yet.",
    text: "After you order it, there is nothing to call until the builder registers an agent.",
  },
  "no-answer": {
    title: "The agents of this plan are not responding.",
    text: "If you order now, calls may fail until they are back.",
  },
};

/** Warns before a plan is paid that opens nothing, and shows how to pay only after a yes. */
export function AskFirst({ why, children }: { why: Opens; children: ReactNode }) {
  const [knows, setKnows] = useState(false);
  const { title, text } = WARNINGS[why];
  return (
    <>
      <Notice tone="unsettled" title={title}>
        {text}
      </Notice>
      <Checkbox
        label="I understand that there is nothing to call yet, and want to order it"
        checked={knows}
        onChange={({ target }) => setKnows(target.checked)}
      />
      {knows && children}
    </>
  );
}
