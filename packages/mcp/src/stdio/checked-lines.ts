import { Transform, type Writable } from 'node:stream';
import { jsonValue, type LhsError, utf8Text } from '@lakehouse-search/contract';

const NEWLINE = 0x0a;
const INVALID_REQUEST = -32_600;

/**
 * Passes lines on that are UTF-8 and whose objects have each name once. Others are reported and
 * answered with an error on `output`: a decoder and `JSON.parse` would change what they say. Lines
 * that are not JSON pass: the transport refuses them. The last line may lack its end.
 */
export function checkedLines(output: Writable, report: (error: Error) => void): Transform {
  let rest: Buffer[] = [];
  const checked = (line: Buffer): Buffer => {
    const fault = faultOf(line);
    if (fault === undefined) return line;
    report(fault);
    const error = { code: INVALID_REQUEST, message: fault.message };
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id: idOf(line), error })}\n`);
    return Buffer.alloc(0);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        this.push(checked(Buffer.concat([...rest, chunk.subarray(from, end + 1)])));
        rest = [];
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
      done();
    },
    flush(done) {
      const last = Buffer.concat(rest);
      if (last.length > 0) this.push(checked(Buffer.concat([last, Buffer.from('\n')])));
      done();
    },
  });
}

function faultOf(line: Buffer): LhsError | undefined {
  try {
    jsonValue(utf8Text(line, 'the message'), 'the message');
    return undefined;
  } catch (error) {
    const fault = error as LhsError;
    return fault.cause instanceof SyntaxError ? undefined : fault;
  }
}

/** The id of a request, as far as it can be read: its sender waits for an answer. */
function idOf(line: Buffer): unknown {
  try {
    const { id = null } = JSON.parse(line.toString()) as { readonly id?: unknown };
    return typeof id === 'number' || typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}
