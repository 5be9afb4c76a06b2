import type { APIRequestContext } from "@playwright/test";
import { serverActions } from "./routes.ts";

const known = () => new Map(serverActions().map((action) => [action.name, action]));
let actions: ReturnType<typeof known> | undefined;

/** The origin of the service that a request context calls. */
export async function originOf(request: APIRequestContext): Promise<string> {
  return new URL((await request.head("/robots.txt")).url()).origin;
}

/**
 * Calls a server action as its page would, with the cookies of the context; returns its value. Throws with the
 * response if it failed. `await callAction(page.request, "createApiKey", { name: "Tests" })`
 */
export async function callAction<T>(
  request: APIRequestContext,
  name: string,
  ...args: unknown[]
): Promise<T> {
  actions ??= known();
  const action = actions.get(name);
  if (!action) throw new Error(`The build has no server action ${name}.`);
  const response = await request.post(action.route, {
    headers: {
      "next-action": action.id,
      "content-type": "text/plain;charset=UTF-8",
      accept: "text/x-component",
      origin: await originOf(request),
    },
    data: JSON.stringify(args),
  });
  const text = await response.text();
  // One line of the stream is the action's answer.
  const line = text.split("\n").find((one) => /^\w+:\{"ok":true/.test(one));
  if (!line) throw new Error(`${name}: ${response.status()} ${text.slice(0, 500)}`);
  return JSON.parse(line.slice(line.indexOf(":") + 1)).data as T;
}
