import { getRunning } from "@/lib/server/running.ts";

// For `next start` and platforms: `npm start` answers this path before Next sees it.
export const POST = async (request: Request) => (await getRunning()).webhooks.fetch(request);
