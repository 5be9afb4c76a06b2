import { createHttpServer, listen } from "@/lib/server/http/http-server.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";

/** The real service on a database and on a port. */
export type ServedService = { service: TestService; origin: string; close: () => Promise<void> };

/** Serves the real service on a free local port. */
export async function serveTestService(
  database: Parameters<typeof createTestService>[0],
): Promise<ServedService> {
  const service = createTestService(database);
  const door = {
    fetch: async (request: Request) => {
      const { url, method, headers } = request;
      const body = ["GET", "HEAD"].includes(method) ? null : await request.text();
      return service.fetch(url, { method, headers, body });
    },
  };
  const server = createHttpServer({ api: door, webhooks: door }, null);
  await listen(server, 0, "127.0.0.1");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    service,
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
