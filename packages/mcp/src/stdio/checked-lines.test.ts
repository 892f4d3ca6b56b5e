import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { checkedLines } from './checked-lines.ts';

async function through(...chunks: readonly (string | Buffer)[]) {
  const output = new PassThrough();
  const reported: string[] = [];
  const lines = checkedLines(output, (error) => reported.push(error.message));
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  const passed = Buffer.concat(await lines.toArray()).toString();
  output.end();
  const answered = Buffer.concat(await output.toArray()).toString();
  return { passed, reported, answered };
}

describe('lines from a client', () => {
  it('pass as they are, whatever pieces they come in', async () => {
    const text = '{"id":1,"a":"ü"}\nnot json\n\n{"id":2}\n';
    const bytes = Buffer.from(text);
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    const { passed, reported, answered } = await through(...pieces);
    expect([passed, reported, answered]).toEqual([text, [], '']);
  });

  it('may lack the end of the last one', async () => {
    expect((await through('{"id":1}\n{"id"', ':2}')).passed).toBe('{"id":1}\n{"id":2}\n');
  });

  it('with a name twice are answered with an error, and the next one passes', async () => {
    const { passed, reported, answered } = await through('{"id":7,"x":1,"x":2}\n{"id":8}\n');
    const message = 'the message has the name "x" twice in one object';
    expect([passed, reported]).toEqual(['{"id":8}\n', [message]]);
    expect(JSON.parse(answered)).toMatchObject({ id: 7, error: { code: -32600, message } });
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
