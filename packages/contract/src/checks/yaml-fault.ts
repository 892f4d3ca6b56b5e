/** Errors of the YAML parser whose own words are about its tokens. */
const FAULTS: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY:
    'a second ": " here: indent the line as those beside it, or quote the text',
  MULTILINE_IMPLICIT_KEY: 'this line is not "name: value"',
  TAB_AS_INDENT: 'a tab indents this line: use blanks',
  UNEXPECTED_TOKEN: 'nothing may follow here: is a line above not "name: value"?',
};

/** The message of a YAML error, without the source line that the parser appends. */
export function yamlFault({ code = '', message }: { code?: string; message: string }): string {
  const words = FAULTS[code] ?? message.split(/ at line |\n/)[0];
  return words.charAt(0).toLowerCase() + words.slice(1);
}
