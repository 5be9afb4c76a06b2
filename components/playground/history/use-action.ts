"use client";

import { useState } from "react";
import type { ActionAnswer } from "../../forms/action-answer.ts";

/** Runs a server action that needs no form. `run` resolves with the data, or with null after setting `failure`. */
export function useAction() {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const run = async <Data>(action: () => Promise<ActionAnswer<Data>>): Promise<Data | null> => {
    setPending(true);
    setFailure("");
    const answer = await action().catch(() => null);
    setPending(false);
    if (answer?.ok) return answer.data;
    setFailure(answer ? `${answer.message} ${answer.hint}` : UNREACHABLE);
    return null;
  };
  return { isPending, failure, run };
}

const UNREACHABLE = "The service can't be reached. Check your connection and try again.";
