import { randomBytes } from "node:crypto";
import type { FormTree } from "./form-body.ts";
import type { AnyStored, Kind, Stored, Work } from "./store.ts";
import { missing } from "./stripe-failure.ts";

/** The API version of the answers: the one the SDK requests. */
const API_VERSION = "2026-10-28.endive";

/** What a route works with: its parameters, the store, and a function that emits events. */
export type Scope = {
  work: Work;
  params: FormTree;
  /** The ids in the path, in order. */
  ids: string[];
  /** Epoch seconds. */
  now: number;
  /** Whether the caller has the publishable key only, and so needs the client secret. */
  isPublic: boolean;
  /** The connected account that the request is made for; null is the platform. */
  account: string | null;
  /** Where the processor is served. */
  origin: string;
  emit: (type: string, object: unknown) => void;
  /** What happens at once after the answer, such as a bank that takes a payment back. */
  afterwards: (() => void)[];
};

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString("hex")}`;

export const newSecret = (id: string): string => `${id}_secret_${randomBytes(12).toString("hex")}`;

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text;

/** Members, named in one text, that Stripe answers and that are empty here. */
export const empty = <const Text extends string>(names: Text) =>
  Object.fromEntries(names.split(" ").map((name) => [name, null])) as Record<Words<Text>, null>;

const NAMES: Partial<Record<Kind, string>> = {
  payment_method: "PaymentMethod",
  setup_intent: "setupintent",
};

export function find<K extends Kind>(
  { work }: Pick<Scope, "work">,
  kind: K,
  id: string | undefined,
  param?: string,
): Stored[K] {
  const row = id === undefined ? undefined : work.find(kind, id);
  if (row) return row;
  throw missing(NAMES[kind] ?? kind, id ?? "", param);
}

/** The intent in the path, for a caller with the secret key or the intent's client secret. */
export function findIntent<K extends "payment_intent" | "setup_intent">(
  scope: Scope,
  kind: K,
  clientSecret: string | undefined,
): Stored[K] {
  const intent = find(scope, kind, scope.ids[0], "intent");
  const isShown =
    clientSecret === undefined ? !scope.isPublic : clientSecret === intent.client_secret;
  if (isShown) return intent;
  throw missing(NAMES[kind] ?? kind, intent.id, "intent");
}

export function save<Row extends AnyStored>({ work, emit }: Scope, row: Row, event: string): Row {
  work.put(row);
  emit(event, row);
  return row;
}

export function createEmitter(
  work: Work,
  about: {
    now: number;
    requestId: string | null;
    idempotencyKey: string | null;
    hasWebhook: boolean;
    isLive: boolean;
  },
): Scope["emit"] {
  return (type, object) => {
    const { account } = work.find("connect_record", (object as { id: string }).id) ?? {};
    work.put({
      object: "event",
      id: newId("evt"),
      ...(account && { account }),
      api_version: API_VERSION,
      created: about.now,
      data: { object: structuredClone(object) },
      livemode: about.isLive,
      pending_webhooks: about.hasWebhook ? 1 : 0,
      request: { id: about.requestId, idempotency_key: about.idempotencyKey },
      type,
    });
  };
}
