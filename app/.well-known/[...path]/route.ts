import { getRunning } from "@/lib/server/running.ts";

// For `next start` and platforms: `npm start` answers these paths before Next sees them.
export const GET = async (request: Request): Promise<Response> =>
  (await getRunning()).api.fetch(request);
