import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ServerCredentials } from '@grpc/grpc-js';
import { createClient } from '@lakehouse-search/client';
import { createGateway, openAccess } from '@lakehouse-search/server';
import { Pool } from 'undici';
const hit = (i: number) => ({
  coordinates: { identifier: [{ name: 'repo', value: 'git' }, { name: 'sha', value: `${i}abcdefabcdefabcdefabcdefabcdefabcdef` }] },
  score: 12.5 + i,
  fields: { subject: 'a commit about something with words '.repeat(2), author: 'Ann Example', at: '2026-01-01T00:00:00.000000Z' },
});
const answer = { hits: Array.from({ length: 10 }, (_, i) => hit(i)), total: 12345, shards_scanned: 1, shards_total: 1, snapshot: '4711471147114711', index_generation: 1, took_ms: 3.2, lag_snapshots: 0, lag_checked_ms: 5 };
if (process.argv[2] === 'serve') {
  const backend = { search: async () => answer, close: async () => {} } as never;
  const { rest, grpc } = await createGateway({ backend, access: openAccess });
  await rest.listen({ port: 0, host: '127.0.0.1' });
  grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_e, port) => {
    process.send!({ rest: `http://127.0.0.1:${(rest.server.address() as { port: number }).port}`, grpc: `grpc://127.0.0.1:${port}` });
  });
  process.on('message', () => process.send!(process.cpuUsage()));
  process.on('disconnect', () => process.exit(0));
} else {
  const child = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: process.env.PROF ? ['--cpu-prof', '--cpu-prof-dir=/tmp/j7'] : [] });
  const served = await new Promise<{ rest: string; grpc: string }>((r) => child.once('message', r as never));
  const cpuOf = async () => { const a = new Promise<NodeJS.CpuUsage>((r) => child.once('message', r as never)); child.send('x'); const u = await a; return (u.user + u.system) / 1000; };
  const request = { index: 'commits', query: 'text:(alpha OR beta)', limit: 10 };
  const body = JSON.stringify(request);
  const pool = new Pool(served.rest, { connections: 1 });
  const client = createClient({ url: served.grpc });
  const rest = async () => { const r = await pool.request({ path: '/v1/search', method: 'POST', headers: { 'content-type': 'application/json' }, body }); await r.body.text(); };
  const grpc = async () => void (await client.search(request));
  for (const [name, call] of Object.entries({ warm: rest, warm2: grpc, rest, grpc, rest2: rest, grpc2: grpc })) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) continue;
    const n = 3000;
    const a = await cpuOf(); const m0 = process.cpuUsage(); const t = performance.now();
    for (let i = 0; i < n; i++) await call();
    const m = process.cpuUsage(m0);
    console.log(name, 'server cpu/call', (((await cpuOf()) - a) / n).toFixed(3), 'client', ((m.user + m.system) / 1000 / n).toFixed(3), 'wall', ((performance.now() - t) / n).toFixed(3));
  }
  child.disconnect(); await client.close(); await pool.close();
}
