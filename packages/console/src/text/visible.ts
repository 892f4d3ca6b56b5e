/** Controls but line ends and tabs, and what turns the direction of a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A foreign text with `�` in place of what controls the screen. */
export const visible = (text: string): string => text.replace(CONTROLS, '\ufffd');
