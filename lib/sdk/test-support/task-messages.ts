import type { Message, SendMessageRequest, Task } from "@a2a-js/sdk";
import { type DefaultRequestHandler, ServerCallContext } from "@a2a-js/sdk/server";

/** A message as it comes from the wire, whose payment the agent removes: to a task, or one that begins a task. */
export function messageTo(task: Task | undefined, metadata: object | undefined) {
  const ids = { messageId: crypto.randomUUID(), taskId: task?.id, contextId: task?.contextId };
  const message = { ...ids, role: 1, parts: [], extensions: [], referenceTaskIds: [], metadata };
  return {
    tenant: "",
    message: structuredClone(message) as never as Message,
  } as never as SendMessageRequest;
}

/** Begins a task at an agent; what sends it more messages, each with the headers of its request. */
export async function beginTask(agent: DefaultRequestHandler, context: ServerCallContext) {
  const task = (await agent.sendMessage(messageTo(undefined, undefined), context)) as Task;
  const send = (metadata?: object, headers?: object) => {
    const given = new ServerCallContext();
    given.state.set("headers", headers);
    return agent.sendMessage(messageTo(task, metadata), given) as Promise<Task>;
  };
  return { task, send };
}
