import { Transform, type TransformCallback, type Writable } from 'node:stream';
import { LhsError } from '@lakehouse-search/contract';
import { jsonValue, utf8Text } from '@lakehouse-search/contract/internal';
import { idOf, messageFault, withoutNulls } from '../protocol/messages.ts';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const LINE_END = 0x0a;

/**
 * Lines of messages as the transport reads them: the last one may lack its end, and each may begin
 * with a byte order mark. A line that is no message is reported, and gets its response here.
 */
export class MessageLines extends Transform {
  readonly #output: Writable;
  readonly #report: (error: Error) => void;
  /** Bytes of a line whose end has not come. */
  #parts: Buffer[] = [];

  constructor(output: Writable, report: (error: Error) => void) {
    super();
    this.#output = output;
    this.#report = report;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      this.#parts.push(chunk.subarray(from, end));
      this.#takeLine();
      from = end + 1;
    }
    this.#parts.push(chunk.subarray(from));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#takeLine();
    done();
  }

  #takeLine(): void {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    let line = '';
    try {
      line = utf8Text(bytes, 'the message');
      if (line.trim() !== '') this.#take(jsonValue(line, 'the message'));
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
      const value = parsed(line);
      this.#refuse(idOf(value), value === null ? PARSE_ERROR : INVALID_REQUEST, error.message);
    }
  }

  #take(value: unknown): void {
    const message = withoutNulls(value);
    const fault = messageFault(message);
    if (fault === null) this.push(`${JSON.stringify(message)}\n`);
    else this.#refuse(idOf(message), INVALID_REQUEST, fault);
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.#report(new Error(message));
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }
}

/** The value of a line with a name twice, for its id; null: the line is not JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
