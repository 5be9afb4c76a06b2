import type { Connection } from "../../client/connection.ts";
import type { Logger } from "../logger.ts";
import { createDurableQueue } from "./durable-queue.ts";
import { createFileStore } from "./file-store.ts";
import { createMemoryQueue } from "./memory-queue.ts";
import { findNode } from "./node-files.ts";
import type { SettlementQueue } from "./settlement-queue.ts";

const FOLDER = ".turnpike/settlements";
const queues = new Map<string, SettlementQueue>();

/** The default queue: a file journal where the runtime has files, else memory. */
export function createDefaultQueue(
  { baseUrl, accountAddress }: Pick<Connection, "baseUrl" | "accountAddress">,
  logger: Logger,
): SettlementQueue {
  if (!findNode()) return createMemoryQueue();
  const owner = `${baseUrl.replace(/^https?:\/\//, "")}-${accountAddress}`;
  const folder = `${FOLDER}/${owner.replace(/[^A-Za-z0-9.-]/g, "_")}`;
  const known = queues.get(folder);
  if (known) return known;
  const queue = createDurableQueue(createFileStore({ folder }), {
    onStoreError: (error) =>
      logger.error("The journal of settlements failed.", { folder, reason: String(error) }),
  });
  queues.set(folder, queue);
  return queue;
}
