/** An error of the imitated engine: HTTP status, and type and reason of its body. */
export type Refusal =
  | {
      readonly status: 400;
      readonly type:
        | 'parsing_exception'
        | 'parse_exception'
        | 'illegal_argument_exception'
        | 'query_shard_exception'
        | 'number_format_exception'
        | 'too_many_buckets_exception';
      readonly reason: string;
    }
  | {
      readonly status: 406;
      readonly type: 'media_type_header_exception';
      readonly reason: string;
    }
  | {
      readonly status: 429;
      readonly type: 'too_many_scroll_contexts_exception';
      readonly reason: string;
    }
  | {
      /** The imitated engine serves it, this one does not. */
      readonly status: 501;
      readonly type: 'unsupported_operation_exception';
      readonly reason: string;
    };

/** A request body that is not served. `refusal` is what the response says. */
export class RefusedDsl extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** An error of a body that the imitated engine refuses too. */
export const malformed = (reason: string): RefusedDsl =>
  new RefusedDsl({ status: 400, type: 'parsing_exception', reason });

/** An error of a value that does not fit its field or its option. */
export const illegal = (reason: string): RefusedDsl =>
  new RefusedDsl({ status: 400, type: 'illegal_argument_exception', reason });

/** An error of something that the imitated engine serves and this one does not. */
export const unserved = (reason: string): RefusedDsl =>
  new RefusedDsl({ status: 501, type: 'unsupported_operation_exception', reason });

/** An error of a caller with as many scrolls as it may have. */
export const tooManyScrolls = (most: number): RefusedDsl =>
  new RefusedDsl({
    status: 429,
    type: 'too_many_scroll_contexts_exception',
    reason:
      `Trying to create too many scroll contexts. Must be less than or equal to: [${most}]: ` +
      'clear scrolls that you have read, or wait until they expire',
  });

/** A text of a request in a message: quoted, at most 100 characters. */
export const clipped = (text: string): string =>
  text.length > 100 ? `${text.slice(0, 100)}…` : text;
