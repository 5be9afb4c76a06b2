import { type A2AEvent, type A2AStatusUpdate, type A2ATask, STATE } from "./a2a-types.ts";

/** What a task event says beyond what is known, as updates of that task; `last` has its status. */
export function updatesOf(
  { id, contextId, history, artifacts, status, metadata }: A2ATask,
  isKnown: (item: unknown) => boolean,
): { updates: A2AEvent[]; last: A2AStatusUpdate } {
  const ids = { taskId: id, contextId };
  const updates: A2AEvent[] = [];
  for (const message of history ?? []) {
    if (isKnown(message)) continue;
    const said = { state: STATE.WORKING, message, timestamp: undefined };
    updates.push({ kind: "statusUpdate", data: { ...ids, status: said, metadata: undefined } });
  }
  for (const artifact of artifacts) {
    if (isKnown(artifact)) continue;
    const whole = { append: false, lastChunk: true, metadata: undefined };
    updates.push({ kind: "artifactUpdate", data: { ...ids, artifact, ...whole } });
  }
  return { updates, last: { ...ids, status, metadata } };
}
