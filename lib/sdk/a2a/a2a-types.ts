/** The parts of the A2A SDK's types (protocol 1.0) that payments touch, so that the SDK is not a dependency. */
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
  history: A2AMessage[] | undefined;
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

/** Where an executor publishes. */
export type Bus<Event = A2AEvent> = { publish(event: Event): void; finished(): void };

export type A2ARequest = {
  taskId: string;
  contextId: string;
  userMessage: A2AMessage;
  task?: A2ATask | undefined;
  context?: { state?: ReadonlyMap<string, unknown> };
};

/** The task states a payment depends on, as the protocol numbers them. */
export const STATE = {
  SUBMITTED: 1,
  WORKING: 2,
  COMPLETED: 3,
  FAILED: 4,
  CANCELED: 5,
  INPUT_REQUIRED: 6,
  REJECTED: 7,
  AUTH_REQUIRED: 8,
} as const;

/** The role of an agent's messages. */
export const ROLE_AGENT = 2;
