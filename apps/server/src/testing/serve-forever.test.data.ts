import { join } from 'node:path';
import { startServer } from '../start-server.js';

/** A server in a process of its own, to be killed: `node serve-forever.test.data.js <folder> <state>`. */
const [folder, state] = process.argv.slice(2) as [string, string];
const server = await startServer({
  models: join(folder, 'models'),
  data: join(folder, 'data'),
  port: 0,
  state,
  commandLine: join(folder, 'command-line.mjs'),
  writeLog: () => {},
});
process.stdout.write(`${JSON.stringify({ url: server.url, token: server.operatorToken })}\n`);
// As `hushrec serve` does.
void server.lost.then(async () => {
  await server.close();
  process.exit(1);
});
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
