import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems give servers on port 0, and callers, ports from 32,768 or 49,152 on. */
const [FIRST, END] = [16_384, 32_768];

/**
 * A port of this machine that nobody uses now. It is below those that the system gives to others:
 * the server for which it is meant may start seconds later.
 */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer();
    const isUnused = await once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!isUnused) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
