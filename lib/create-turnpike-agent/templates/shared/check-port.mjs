import "./env.mjs";
import { once } from "node:events";
import { connect } from "node:net";

const { PORT } = process.env;
const socket = connect(PORT, "localhost");
const isTaken = await once(socket, "connect").catch(() => false);
socket.destroy();
if (isTaken) {
  console.error(
    `Port ${PORT} is in use. Stop the process that uses it, such as this agent in another terminal.`,
  );
  process.exit(1);
}
