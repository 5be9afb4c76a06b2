import { getRunning } from "@/lib/server/running.ts";

// For `next start` and platforms: `npm start` answers these paths before Next sees them.
const answer = async (request: Request) => (await getRunning()).api.fetch(request);

export { answer as DELETE, answer as GET, answer as POST, answer as PUT };
