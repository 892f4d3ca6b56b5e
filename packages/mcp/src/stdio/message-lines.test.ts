import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MessageLines } from './message-lines.ts';

async function through(...chunks: readonly (string | Buffer)[]) {
  const output = new PassThrough();
  const reported: string[] = [];
  const lines = new MessageLines(output, (error) => reported.push(error.message));
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  const passed = Buffer.concat(await lines.toArray()).toString();
  output.end();
  const answered = Buffer.concat(await output.toArray()).toString();
  return { passed, reported, answered };
}

const message = (id: number, method = 'a') => JSON.stringify({ jsonrpc: '2.0', id, method });

describe('lines from a client', () => {
  it('pass whatever pieces they come in', async () => {
    const text = `${message(1)}\r\n\n${message(2, 'ü')}\n`;
    const bytes = Buffer.from(text);
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    const { passed, reported, answered } = await through(...pieces);
    expect(passed).toBe(`${message(1)}\n${message(2, 'ü')}\n`);
    expect([reported, answered]).toEqual([[], '']);
  });

  it('may lack the end of the last one', async () => {
    const [first, second] = [message(1), message(2)];
    expect((await through(`${first}\n${second.slice(0, 5)}`, second.slice(5))).passed).toBe(
      `${first}\n${second}\n`,
    );
  });

  it('with a name twice are answered with an error, and the next one passes', async () => {
    const { passed, reported, answered } = await through(`{"id":7,"x":1,"x":2}\n${message(8)}\n`);
    const fault = 'the message has the name "x" twice in one object';
    expect([passed, reported]).toEqual([`${message(8)}\n`, [fault]]);
    expect(JSON.parse(answered)).toMatchObject({ id: 7, error: { code: -32600, message: fault } });
  });

  it('that are not UTF-8 are answered with an error', async () => {
    const line = Buffer.concat([
      Buffer.from('{"id":7,"x":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const { passed, answered } = await through(line);
    expect(passed).toBe('');
    expect(JSON.parse(answered)).toMatchObject({ error: { message: 'the message is not UTF-8' } });
  });
});
