/**
 * The header of a request with the processor time of the server's main thread when it was sent, in
 * nanoseconds, and a number that no other request has.
 */
export const SENT_AT = 'x-sent-at';
