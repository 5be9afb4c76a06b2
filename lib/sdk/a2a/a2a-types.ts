/** As much of the A2A SDK's shapes (protocol 1.0) as payments touch, so that it is not needed here. */
export type Metadata = { [name: string]: unknown };

export type A2AMessage = {
  messageId: string;
  contextId: string;
  taskId: string;
  role: number;
  parts: unknown[];
  metadata: Metadata | undefined;
  extensions: string[];
  referenceTaskIds: string[];
};

export type A2AStatus = {
  state: number;
  message: A2AMessage | undefined;
  timestamp: string | undefined;
};

export type A2ATask = {
  id: string;
  contextId: string;
  status: A2AStatus | undefined;
  artifacts: unknown[];
  history: unknown[];
  metadata: Metadata | undefined;
};

export type A2AStatusUpdate = {
  taskId: string;
  contextId: string;
  status: A2AStatus | undefined;
  metadata: Metadata | undefined;
};

/** What an executor publishes. */
export type A2AEvent =
  | { kind: "message"; data: A2AMessage }
  | { kind: "task"; data: A2ATask }
  | { kind: "statusUpdate"; data: A2AStatusUpdate }
  | { kind: "artifactUpdate"; data: object };

export type A2ARequest = {
  taskId: string;
  contextId: string;
  userMessage: A2AMessage;
  task?: A2ATask | undefined;
  context?: { state?: ReadonlyMap<string, unknown> };
};

/** The states a payment decides about, as the protocol numbers them. */
export const STATE = {
  SUBMITTED: 1,
  WORKING: 2,
  COMPLETED: 3,
  FAILED: 4,
  INPUT_REQUIRED: 6,
} as const;

/** The role of what an agent says. */
export const ROLE_AGENT = 2;
